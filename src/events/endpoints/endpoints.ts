import { isLoopbackHost, Secret, type Transaction } from '../../platform/index.ts';
import { type AuditActor, callerRemoved, lockAdmin, lockTeam, recordAudit } from '../../teams/index.ts';
import type { EventsContext } from '../context.ts';
import {
  endpointExists,
  endpointInactive,
  endpointUnknown,
  endpointUrlInvalid,
  periodInvalid,
  replayRunning,
  secretReplaced,
  tooManyEndpoints,
} from '../errors.ts';
import { getLogEnds } from '../log/log-store.ts';
import { findPeriod } from '../log/log-time-store.ts';
import { type Endpoint, type EndpointOwner, newEndpointSecret, oldSecretsAt, versionOfSecret } from './endpoint.ts';
import { openUrl, sealField } from './endpoint-secrets.ts';
import {
  beginReplay,
  deleteEndpoint,
  deleteRetriesTo,
  type EndpointChange,
  getEndpoint,
  insertEndpoint,
  listEndpoints,
  putSecret,
  updateEndpoint,
} from './endpoint-store.ts';

const MOST_ENDPOINTS = 10;
const OLD_SECRET_MS = 24 * 3_600_000;

export type EndpointInput = { url: string; types: readonly string[]; description: string };
/** `isOnly`: refuse a second endpoint with the same URL and types, in case a form is submitted twice. */
type NewEndpoint = EndpointInput & { isOnly?: boolean };
type EndpointPatch = Partial<EndpointInput> & { active?: boolean };

/** An endpoint with its URL opened. */
export type OpenEndpoint = { endpoint: Endpoint; url: Secret };

/** Parses an endpoint's URL. Whether its host is allowed is checked each time something is sent. */
const parseUrl = ({ production }: Pick<EventsContext, 'production'>, text: string): Secret => {
  const url = URL.parse(text);
  if (!url || !['https:', 'http:'].includes(url.protocol))
    throw endpointUrlInvalid(`must be a URL with ${production ? 'https' : 'http or https'}`);
  if (url.username !== '' || url.password !== '') throw endpointUrlInvalid('must not contain a user or a password');
  if (url.hash !== '') throw endpointUrlInvalid('must not have a fragment (#)');
  if (production && url.protocol === 'http:') throw endpointUrlInvalid('must start with https');
  if (production && isLoopbackHost(url.hostname)) throw endpointUrlInvalid('must have a public address');
  return new Secret(url.href);
};

const change = <Result>(
  { database, onEndpointsChanged }: EventsContext,
  { teamId }: EndpointOwner,
  actor: AuditActor,
  id: string,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> =>
  database.transaction(async (tx) => {
    if (!(await lockTeam(tx, teamId))) throw callerRemoved();
    await lockAdmin(tx, teamId, actor);
    tx.afterCommit(() => onEndpointsChanged([id]));
    return work(tx);
  });

const find = async (
  queries: EventsContext['database'] | Transaction,
  owner: EndpointOwner,
  id: string,
  lock: '' | 'for update' = '',
) => {
  const endpoint = await getEndpoint(queries, owner, id, lock);
  if (!endpoint) throw endpointUnknown();
  return endpoint;
};

const openEndpoint = async ({ vault }: EventsContext, endpoint: Endpoint): Promise<OpenEndpoint> => ({
  endpoint,
  url: await openUrl(vault, endpoint),
});

export const showEndpoints = async (context: EventsContext, owner: EndpointOwner): Promise<OpenEndpoint[]> =>
  Promise.all((await listEndpoints(context.database, owner)).map((endpoint) => openEndpoint(context, endpoint)));

export const showEndpoint = async (context: EventsContext, owner: EndpointOwner, id: string): Promise<OpenEndpoint> =>
  openEndpoint(context, await find(context.database, owner, id));

/** Whether an endpoint with the same URL and types exists. URLs are sealed, so each has to be opened. */
const isThere = async (
  { vault }: EventsContext,
  tx: Transaction,
  endpoints: readonly Endpoint[],
  { url, types }: { url: Secret; types: readonly string[] },
): Promise<boolean> => {
  const wanted = types.toSorted().join();
  for (const endpoint of endpoints.filter((one) => one.types.toSorted().join() === wanted))
    if ((await openUrl(vault, endpoint, tx)).reveal() === url.reveal()) return true;
  return false;
};

/** Creates an endpoint that gets events from now on. Also returns its secret, which is never shown again. */
export const createEndpoint = async (
  context: EventsContext,
  owner: EndpointOwner,
  actor: AuditActor,
  { url: text, types, description, isOnly = false }: NewEndpoint,
): Promise<OpenEndpoint & { secret: Secret }> => {
  const { vault, newId, clock } = context;
  const url = parseUrl(context, text);
  const secret = newEndpointSecret();
  const id = newId();
  const place = { id, teamId: owner.teamId };
  const now = clock.now();
  const sealed = {
    url: await sealField(vault, place, 'url', url),
    secret: await sealField(vault, place, 'secret', secret),
  };
  const endpoint = await change(context, owner, actor, id, async (tx) => {
    const others = await listEndpoints(tx, owner);
    if (isOnly && (await isThere(context, tx, others, { url, types }))) throw endpointExists();
    if (others.length >= MOST_ENDPOINTS) throw tooManyEndpoints(MOST_ENDPOINTS);
    const { position } = await getLogEnds(tx);
    const made: Endpoint = {
      ...{ ...owner, ...sealed, id, types, description, position, createdAt: now, changedAt: now },
      ...{ inactiveReason: null, inactiveSince: null, oldSecret: null, oldSecretUntil: null, olderSecrets: [] },
      ...{ replayPosition: null, replayUntil: null, retryAt: null },
      ...{ failingSince: null, lastSuccessAt: null, lastFailureAt: null },
    };
    await insertEndpoint(tx, made);
    const detail = { host: new URL(url.reveal()).host };
    await recordAudit(context, tx, owner.teamId, actor, { action: 'event_endpoint.create', target: id, detail });
    return made;
  });
  return { endpoint, url, secret };
};

/** The changes that turn an endpoint on. It gets new events from now on, without those that it missed. */
const reactivated = async (tx: Transaction) => ({
  inactiveReason: null,
  inactiveSince: null,
  failingSince: null,
  position: (await getLogEnds(tx)).position,
});

/** The changes that pause an endpoint. Also ends a replay. */
const pausedAt = (now: number) => ({
  ...{ inactiveReason: 'paused' as const, inactiveSince: now },
  ...{ replayPosition: null, replayUntil: null },
});

export const changeEndpoint = async (
  context: EventsContext,
  owner: EndpointOwner,
  actor: AuditActor,
  id: string,
  { url: text, active, types, description }: EndpointPatch,
): Promise<OpenEndpoint> => {
  const { vault, clock } = context;
  const url =
    text === undefined ? null : await sealField(vault, { id, teamId: owner.teamId }, 'url', parseUrl(context, text));
  await change(context, owner, actor, id, async (tx) => {
    const before = await find(tx, owner, id, 'for update');
    const now = clock.now();
    const isActive = before.inactiveReason === null;
    // Some are left if the service stopped right after Patchbay had turned the endpoint off.
    if (active === true && !isActive && before.inactiveReason !== 'paused') await deleteRetriesTo(tx, owner, id);
    const changed: EndpointChange = {
      ...before,
      ...(url !== null && { url }),
      ...(types && { types }),
      ...(description !== undefined && { description }),
      ...(active === true && !isActive && (await reactivated(tx))),
      ...(active === false && isActive && pausedAt(now)),
    };
    await updateEndpoint(tx, owner, id, changed, now);
    await recordAudit(context, tx, owner.teamId, actor, { action: 'event_endpoint.change', target: id });
  });
  return showEndpoint(context, owner, id);
};

export const removeEndpoint = async (
  context: EventsContext,
  owner: EndpointOwner,
  actor: AuditActor,
  id: string,
): Promise<void> => {
  const { database, clock, onEndpointsChanged } = context;
  await change(context, owner, actor, id, async (tx) => {
    const endpoint = await find(tx, owner, id, 'for update');
    const now = clock.now();
    const isActive = endpoint.inactiveReason === null;
    await updateEndpoint(tx, owner, id, { ...endpoint, ...(isActive && pausedAt(now)) }, now);
    await recordAudit(context, tx, owner.teamId, actor, { action: 'event_endpoint.delete', target: id });
  });
  // Nothing refuses this anymore, and nothing more is sent. If the service stops before the end, the endpoint is left
  // paused, and can be deleted again.
  await deleteRetriesTo(database, owner, id);
  await deleteEndpoint(database, owner, id);
  onEndpointsChanged([id]);
};

/**
 * Replaces the secret. For a day, events are also signed with the old one, even if the new one is replaced, too.
 * `seen`: refuse if the secret isn't this one anymore (see `versionOfSecret`), in case a form is submitted twice.
 */
export const rotateSecret = async (
  context: EventsContext,
  owner: EndpointOwner,
  actor: AuditActor,
  id: string,
  { seen }: { seen?: string } = {},
): Promise<{ secret: Secret; oldSecretUntil: number }> => {
  const { vault, clock } = context;
  const secret = newEndpointSecret();
  const now = clock.now();
  const oldSecretUntil = now + OLD_SECRET_MS;
  const sealed = await sealField(vault, { id, teamId: owner.teamId }, 'secret', secret);
  await change(context, owner, actor, id, async (tx) => {
    const endpoint = await find(tx, owner, id, 'for update');
    if (seen !== undefined && seen !== versionOfSecret(endpoint)) throw secretReplaced();
    const older = oldSecretsAt(endpoint, now);
    await putSecret(tx, owner, id, { secret: sealed, oldSecretUntil, older, now });
    await recordAudit(context, tx, owner.teamId, actor, { action: 'event_endpoint.rotate', target: id });
  });
  return { secret, oldSecretUntil };
};

/** Sends the events of a period again. New events are sent as usual. Returns false if the period has no events. */
export const replayEvents = (
  context: EventsContext,
  owner: EndpointOwner,
  actor: AuditActor,
  id: string,
  { since, until }: { since: number; until: number },
): Promise<boolean> =>
  change(context, owner, actor, id, async (tx) => {
    if (since >= until) throw periodInvalid();
    const { inactiveReason } = await find(tx, owner, id);
    if (inactiveReason !== null) throw endpointInactive();
    const period = await findPeriod(tx, { since, until });
    if (!period) return false;
    if ((await beginReplay(tx, owner, id, { ...period, now: context.clock.now() })) === 0) throw replayRunning();
    await recordAudit(context, tx, owner.teamId, actor, { action: 'event_endpoint.replay', target: id });
    return true;
  });
