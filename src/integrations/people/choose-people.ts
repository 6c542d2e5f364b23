import { getLogEnds } from '../../events/index.ts';
import { type Transaction, toIsoOrNull } from '../../platform/index.ts';
import { type AuditActor, lockAdmin, recordAudit } from '../../teams/index.ts';
import { findProvider } from '../catalogue/catalogue.ts';
import type { ListedConnection } from '../connections/connection.ts';
import { getConnection, listConnectionsTo } from '../connections/connection-store.ts';
import { findConnection, toNotConnected, type WantedConnection } from '../connections/find-connection.ts';
import type { IntegrationsContext } from '../context.ts';
import { notConnected } from '../errors.ts';
import type { WhichConnection } from './converse.ts';
import { logUnsupported, lookupUnsupported } from './errors.ts';
import { getPeopleSettings, type PeopleProblem, type PeopleSettings, putPeopleSettings } from './people-store.ts';

/** What ends for a connection: its names, its log, or both. */
export type EndedPeople = WhichConnection & {
  names: boolean;
  log: boolean;
  /** Whether the connection is gone, or for another account. */
  isGone: boolean;
};

/** Tells telephony in the same transaction, which erases what it has of the connection. */
export type OnPeopleEnded = (tx: Transaction, ended: EndedPeople) => Promise<void>;

export type PeopleContext = IntegrationsContext & { onPeopleEnded: OnPeopleEnded };

export type PeopleWish = { lookup?: boolean | undefined; log?: boolean | undefined };

const OFF = { lookupSince: null, lookupAfter: null, logSince: null, logAfter: null };

/** Words for what went wrong, for people. `needs` is what the connection has to be allowed. */
const PROBLEMS: Readonly<Record<PeopleProblem, (name: string) => string>> = {
  not_allowed: (name) => `${name} doesn't allow this connection to do that. Connect again with the right to it.`,
  refused: (name) => `${name} refused the last request.`,
  busy: (name) => `${name} limits how often it's asked. Patchbay waits as long as ${name} says.`,
  away: (name) => `${name} didn't answer. Patchbay tries again.`,
  unreadable: (name) => `${name} answered something that isn't JSON. Patchbay tries again.`,
  stopped: () => "The connection doesn't work at the moment, so nobody is asked.",
};

const toPeopleView = (
  { catalogue }: Pick<IntegrationsContext, 'catalogue'>,
  { provider, name: connection }: Pick<ListedConnection, 'provider' | 'name'>,
  settings: PeopleSettings | undefined,
) => {
  const { people, log, name } = findProvider(catalogue, provider).record;
  const { problem = null, problemAt = null, pausedUntil = null } = settings ?? {};
  const { lookupSince = null, logSince = null, foundAt = null, noneAt = null, severalAt = null } = settings ?? {};
  return {
    ...{ provider, connection, lookup: lookupSince !== null, log: logSince !== null },
    supports: { lookup: Boolean(people), log: Boolean(log) },
    needs: { lookup: people?.needs ?? null, log: log?.needs ?? null },
    lookupSince: toIsoOrNull(lookupSince),
    logSince: toIsoOrNull(logSince),
    lastFoundAt: toIsoOrNull(foundAt),
    lastNoMatchAt: toIsoOrNull(noneAt),
    lastSeveralAt: toIsoOrNull(severalAt),
    problem:
      problem === null || problemAt === null
        ? null
        : { code: problem, message: PROBLEMS[problem](name), at: toIsoOrNull(problemAt) ?? '' },
    pausedUntil: toIsoOrNull(pausedUntil),
  };
};

export type PeopleView = ReturnType<typeof toPeopleView>;

/** Shows what is turned on for a connection, and how it goes. */
export const showPeople = async (context: IntegrationsContext, wanted: WantedConnection): Promise<PeopleView> => {
  const { database, catalogue } = context;
  findProvider(catalogue, wanted.provider);
  const connection = await findConnection(database, wanted);
  if (!connection) throw await toNotConnected(context, wanted);
  return toPeopleView(context, connection, await getPeopleSettings(database, wanted.teamId, connection.id));
};

/** The connection that a request is about. */
export const findPeopleConnection = async (
  context: IntegrationsContext,
  wanted: WantedConnection,
): Promise<WhichConnection> => {
  findProvider(context.catalogue, wanted.provider);
  const connection = await findConnection(context.database, wanted);
  if (!connection) throw await toNotConnected(context, wanted);
  return { teamId: wanted.teamId, connectionId: connection.id };
};

/** Shows it for each connection to a provider. Empty if callers can't be looked up there. */
export const listPeople = async (
  context: IntegrationsContext,
  teamId: string,
  provider: string,
): Promise<PeopleView[]> => {
  const { database, catalogue } = context;
  if (!catalogue.get(provider)?.record.people) return [];
  const shown: PeopleView[] = [];
  for (const connection of await listConnectionsTo(database, teamId, provider))
    shown.push(toPeopleView(context, connection, await getPeopleSettings(database, teamId, connection.id)));
  return shown;
};

/** Begins now what is wanted and hasn't begun, and ends what isn't wanted anymore. */
const settle = (
  before: Pick<PeopleSettings, 'lookupSince' | 'lookupAfter' | 'logSince' | 'logAfter'>,
  { lookup, log }: PeopleWish,
  now: number,
  position: number,
) => {
  const lookupOn = lookup ?? before.lookupSince !== null;
  const logOn = log ?? before.logSince !== null;
  return {
    lookupSince: lookupOn ? (before.lookupSince ?? now) : null,
    lookupAfter: lookupOn ? (before.lookupAfter ?? position) : null,
    logSince: logOn ? (before.logSince ?? now) : null,
    logAfter: logOn ? (before.logAfter ?? position) : null,
  };
};

/** Turns on or off that callers are looked up, and calls logged, with a connection. */
export const choosePeople = async (
  context: PeopleContext,
  wanted: WantedConnection,
  wish: PeopleWish,
  actor: AuditActor,
): Promise<PeopleView> => {
  const { database, clock, catalogue, onPeopleEnded } = context;
  const { teamId, provider } = wanted;
  const { people, log } = findProvider(catalogue, provider).record;
  if (wish.lookup === true && !people) throw lookupUnsupported();
  if (wish.log === true && !log) throw logUnsupported();
  const found = await findConnection(database, wanted);
  const absent = found ? null : await toNotConnected(context, wanted);
  const name = await database.transaction(async (tx) => {
    await lockAdmin(tx, teamId, actor);
    if (!found) throw absent;
    const connection = await getConnection(tx, found, 'for update');
    if (connection?.id !== found.id) throw notConnected();
    const before = (await getPeopleSettings(tx, teamId, found.id)) ?? OFF;
    const { position } = await getLogEnds(tx);
    const after = settle(before, wish, clock.now(), position);
    const ended = {
      isGone: false,
      names: before.lookupSince !== null && after.lookupSince === null,
      log: before.logSince !== null && after.logSince === null,
    };
    await putPeopleSettings(tx, { teamId, provider, connectionId: found.id }, after);
    if (ended.names || ended.log) await onPeopleEnded(tx, { teamId, connectionId: found.id, ...ended });
    const detail = { connection: found.name, lookup: after.lookupSince !== null, log: after.logSince !== null };
    await recordAudit(context, tx, teamId, actor, { action: 'integration.people', target: provider, detail });
    return found.name;
  });
  return showPeople(context, { ...wanted, name });
};
