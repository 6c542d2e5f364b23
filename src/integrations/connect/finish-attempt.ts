import { Refusal } from '../../platform/index.ts';
import type { AuditActor } from '../../teams/index.ts';
import { findKeyProvider, findOauthProvider } from '../catalogue/catalogue.ts';
import type { ResolvedProvider } from '../catalogue/provider.ts';
import { completeParams } from '../catalogue/provider-params.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import { lackedSettingsOf, settingsOf } from '../catalogue/settings-of.ts';
import { authorityOf } from '../connections/authority.ts';
import { findObstacle } from '../connections/prepare-revocation.ts';
import { type NewConnection, putConnection } from '../connections/put-connection.ts';
import { isConnectContained, isConnectRevoked } from '../containment/consent-store.ts';
import type { IntegrationsContext } from '../context.ts';
import { contained, exchangeFailed, interrupted, notConfigured, stateInvalid } from '../errors.ts';
import type { AcceptedKey } from '../keys/accept-key.ts';
import { storeKey } from '../keys/store-key.ts';
import { scopesOf } from '../requests/authorization-url.ts';
import { checkSignature, readCode, readGrantedScopes, readKeptParams } from '../requests/callback-params.ts';
import { lacksSite } from '../requests/chosen-site.ts';
import { fetchHolder, type Identified } from '../requests/fetch-holder.ts';
import { exchangeCode, pickTokenToRevoke, revokeToken } from '../requests/grant-requests.ts';
import { keepTrying } from '../requests/keep-trying.ts';
import { type ConnectAttempt, endAttempt } from './attempt-store.ts';
import type { ConnectRequest, ConnectState } from './connect-state.ts';
import { type ConnectOutcome, failed } from './outcome.ts';

/**
 * What a callback or our form brings: everything for the exchange of a code, or a key that the provider has accepted.
 */
export type BroughtCode = ConnectRequest & Pick<ConnectState, 'verifier'> & { callback: [string, string][] };
export type BroughtKey = ConnectRequest & { key: AcceptedKey };
export type Brought = BroughtCode | BroughtKey;

/** How long storing is retried while the database is unavailable. Short enough to end before the request times out. */
const KEEP_TRYING_MS = 3_000;

/**
 * Whether this grant can be revoked without ending another connection to the same account. If the account is unknown, only
 * if a containment revokes what was connected before anyway.
 */
const isNobodyElses = async (
  context: IntegrationsContext,
  resolved: ResolvedProvider,
  made: Pick<NewConnection, keyof Identified | 'teamId' | 'provider' | 'client' | 'details' | 'begun'>,
): Promise<boolean> => {
  const { teamId, provider, account, installationId, accountFrom, client, details, begun } = made;
  if (account.id === null) return isConnectRevoked(context.database, { teamId, provider, begunAt: begun.begunAt });
  const holder = { accountId: account.id, installationId, accountFrom };
  const ofClient = { clientId: client.id, clientOf: client.of, authority: authorityOf(resolved, details), details };
  return (await findObstacle(context, resolved, { id: '', provider, ...holder, ...ofClient })) === null;
};

const exchange = async (
  context: IntegrationsContext,
  { teamId, userId, provider }: Pick<ConnectAttempt, 'teamId' | 'userId' | 'provider'>,
  { verifier, scopes, params, connection: name, replace: mayReplace, begun, callback }: BroughtCode,
  actor: AuditActor,
): Promise<ConnectOutcome> => {
  const { catalogue, database, discover, clients, url } = context;
  if (await isConnectContained(database, { teamId, provider, begunAt: begun.begunAt })) throw contained();
  const resolved = await discover(findOauthProvider(catalogue, provider));
  const { record } = resolved;
  const found = await clients.find(teamId, provider);
  const client = found && (await clients.open(teamId, provider, found.of));
  if (!client) throw notConfigured(settingsOf(provider));
  const lacked = lackedSettingsOf(record, client);
  if (lacked.length > 0) throw notConfigured(lacked);
  const received = new Map(callback);
  checkSignature(record, received, client.secret);
  const complete = completeParams(record, params ?? {});
  const kept = readKeptParams(record, received, complete);
  const given = { ...complete, ...kept };
  const state = received.get(record.callback?.stateParam ?? 'state') ?? '';
  const code = { code: readCode(record, received), verifier, redirectUri: redirectUriOf(url, provider), state };
  const granted = await exchangeCode(context, { provider: resolved, client, values: given }, code);
  if (granted.failure) throw exchangeFailed(granted.failure);
  const tokens = { ...granted.tokens, scopes: readGrantedScopes(record, received) ?? granted.tokens.scopes };
  // A token response must not override values that the person entered or the callback confirmed.
  const known = { ...given, ...tokens.kept, ...params, ...kept };
  const source = { accessToken: tokens.accessToken, response: granted.response };
  const target = { provider: resolved, client, values: known };
  const { kept: ofAccount, sites, ...identified } = await fetchHolder(context, target, source);
  const details = { ...ofAccount, ...known };
  const scopesAsked = scopesOf(record, scopes ?? client.scopes);
  const made = {
    teamId,
    userId,
    begun,
    provider,
    name,
    client,
    ...identified,
    sites,
    tokens,
    details,
    scopesAsked,
    mayReplace,
  };
  const storing = keepTrying(KEEP_TRYING_MS, () => putConnection(context, resolved, made, actor));
  const { connection, previousAccount } = await storing.catch(async (error) => {
    // The grant isn't stored, so it can only be revoked now. Leave it if the revocation could also end another grant of
    // the same account.
    const endsAlone = error instanceof Refusal && (await isNobodyElses(context, resolved, made));
    if (record.revoke?.kills === 'token' || endsAlone)
      await revokeToken(context, target, pickTokenToRevoke(resolved, tokens));
    throw error;
  });
  return {
    outcome: 'connected',
    account: identified.account,
    previousAccount,
    siteNeeded: lacksSite(record, connection),
  };
};

/** Stores a key that the provider has already accepted. */
const putAcceptedKey = async (
  context: IntegrationsContext,
  { teamId, userId, provider }: Pick<ConnectAttempt, 'teamId' | 'userId' | 'provider'>,
  { key, connection: name, replace: mayReplace, begun }: BroughtKey,
  actor: AuditActor,
): Promise<ConnectOutcome> => {
  const storing = { teamId, userId, provider, name, begun, mayReplace, refuseGone: stateInvalid };
  const entry = findKeyProvider(context.catalogue, provider);
  const previousAccount = await keepTrying(KEEP_TRYING_MS, () => storeKey(context, entry, key, storing, actor));
  return { outcome: 'connected', account: key.account, previousAccount, siteNeeded: false };
};

/**
 * Exchanges the code of an attempt, or stores its key, and stores the outcome. Call this only after claiming the
 * attempt, and within `connectTurnsIn`.
 */
export const finishAttempt = async (
  context: IntegrationsContext,
  attempt: Pick<ConnectAttempt, 'teamId' | 'userId' | 'provider' | 'stateDigest' | 'expiresAt'>,
  brought: Brought,
  actor: AuditActor,
): Promise<ConnectOutcome> => {
  const end = (outcome: ConnectOutcome): Promise<number> =>
    endAttempt(context.database, attempt.teamId, attempt.stateDigest, JSON.stringify(outcome));
  const finishing =
    'key' in brought ? putAcceptedKey(context, attempt, brought, actor) : exchange(context, attempt, brought, actor);
  const outcome = await finishing.catch(async (error) => {
    if (error instanceof Refusal) return failed(error);
    // A bug, or an error of the database. End the attempt anyway, so that nobody waits for its outcome.
    await end(failed(interrupted())).catch(() => undefined);
    throw error;
  });
  await end(outcome);
  return outcome;
};
