import type { Secret } from '../../platform/index.ts';
import type { ResolvedProvider } from '../catalogue/provider.ts';
import type { ProviderFailure } from '../catalogue/provider-failure.ts';
import { addKept } from '../catalogue/provider-params.ts';
import { atCurrentHost } from '../connections/authority.ts';
import { changeLeased, changeStanding } from '../connections/change-standing.ts';
import {
  type Connection,
  endsAlone,
  hasExpired,
  nextTryAt,
  type RefreshRules,
  TOKEN_REFUSED,
} from '../connections/connection.ts';
import { changeConnection, getConnection } from '../connections/connection-store.ts';
import { renewalOf, startFresh } from '../connections/connection-tokens.ts';
import { findObstacle, sealRevocation } from '../connections/prepare-revocation.ts';
import { countRefusal, findLasting } from '../connections/repeated-refusal.ts';
import { putRevocation, tryRevocation } from '../connections/revoke-grant.job.ts';
import { listContained } from '../containment/consent-store.ts';
import { settleConnection, toConsented } from '../containment/contained-store.ts';
import { CONTAINED } from '../containment/containment.ts';
import type { IntegrationsContext } from '../context.ts';
import type { Target } from '../requests/ask-provider.ts';
import type { OpenTokens } from '../requests/grant-requests.ts';
import type { Tokens } from '../requests/token-response.ts';
import type { createClientStandings } from './client-standings.ts';
import { judgeFailure } from './judge-failure.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How many times a refused key is tried again soon, in case the provider erred. After that, it's tried once a day. */
const MISTAKES = 6;

export type RefreshContext = IntegrationsContext & { standingOfClient: ReturnType<typeof createClientStandings> };

/** A connection whose lease this process took, at `leasedAt`, to refresh it. */
export type LeasedConnection = Connection & { leasedAt: number };

/**
 * When the refresh token may have been used first: in an earlier refresh whose result wasn't stored, or else in this
 * one.
 */
export const firstSpentAt = ({ refreshBegunAt, leasedAt }: LeasedConnection): number => refreshBegunAt ?? leasedAt;

/**
 * The refresh token to keep, and when it expires. If the response contains none, the old one stays (RFC 6749, section
 * 6).
 */
const keepRefreshToken = (
  connection: Pick<Connection, 'refreshExpiresAt'>,
  old: Secret | null,
  { refreshToken, refreshExpiresAt }: Pick<Tokens, 'refreshToken' | 'refreshExpiresAt'>,
): Pick<Tokens, 'refreshToken' | 'refreshExpiresAt'> => {
  const isOld = refreshToken === null || refreshToken.reveal() === old?.reveal();
  return {
    refreshToken: refreshToken ?? old,
    refreshExpiresAt: refreshExpiresAt ?? (isOld ? connection.refreshExpiresAt : null),
  };
};

/**
 * The standing that new tokens don't change: if the API refused the last ones, only a verification shows whether it
 * accepts these.
 */
const keepStanding = ({ status, reason, lastError, troubleSince }: Connection): Partial<Connection> =>
  reason === TOKEN_REFUSED ? { status, reason, lastError, troubleSince } : {};

/** Stores new tokens. Returns 0 if the connection has been replaced or removed since the refresh began. */
export const writeTokens = async (
  context: RefreshContext,
  connection: Connection,
  { provider }: Target,
  rules: RefreshRules,
  { old, fresh }: { old: OpenTokens; fresh: Tokens },
): Promise<number> => {
  const now = context.clock.now();
  const scopes = fresh.scopes ?? connection.scopesGranted;
  const current = { ...fresh, ...keepRefreshToken(connection, old.refreshToken, fresh), scopes };
  return changeStanding(context, connection, {
    ...(await startFresh(context.vault, connection, current, rules, now, renewalOf(provider))),
    ...keepStanding(connection),
    generation: connection.generation + 1,
    details: addKept(provider.record, connection.details, fresh.kept),
    refreshedAt: now,
  });
};

/** Whether new tokens may be revoked: the connection is gone, or has a grant that goes on without them. */
const mayRevoke = async (
  { database }: RefreshContext,
  resolved: ResolvedProvider,
  connection: Connection,
): Promise<boolean> => {
  const current = await getConnection(database, connection);
  if (!current || current.reason === CONTAINED) return true;
  if (endsAlone(atCurrentHost(resolved, connection), atCurrentHost(resolved, current))) return true;
  const isLater = current.connectedAt !== connection.connectedAt;
  return (
    isLater && resolved.record.revoke?.kills === 'token' && (await listContained(database, [connection])).length > 0
  );
};

/**
 * Revokes the new tokens of a connection that was removed, replaced, or contained during its refresh. Without a new
 * refresh token, also the old one, because a ledger says what becomes of this revocation, and not of an earlier one.
 */
export const revokeUnowned = async (
  context: RefreshContext,
  resolved: ResolvedProvider,
  connection: Connection,
  { old, fresh }: { old: OpenTokens; fresh: Tokens },
): Promise<void> => {
  const { database, clock } = context;
  if (!(await mayRevoke(context, resolved, connection))) return;
  const obstacle = await findObstacle(context, resolved, connection);
  if (obstacle !== null) {
    // A ledger may call the grant gone, because its older tokens were revoked.
    await settleConnection(database, toConsented(connection), { state: obstacle, now: clock.now() });
    return;
  }
  const tokens = { ...fresh, ...keepRefreshToken(connection, old.refreshToken, fresh) };
  const revocation = await sealRevocation(context, resolved, connection, tokens);
  await database.transaction((tx) => putRevocation(context, tx, connection, revocation, { firstTry: 'here' }));
  await tryRevocation(context, connection.teamId, revocation.id);
};

/** Records a failed refresh, and ends the lease. */
const writeTrouble = async (
  context: RefreshContext,
  connection: Connection,
  changes: Pick<Connection, 'status' | 'reason' | 'lastError' | 'refusal' | 'refreshDueAt' | 'refreshBegunAt'>,
): Promise<void> => {
  const { teamId, failures, troubleSince } = connection;
  const counted = { failures: failures + 1, troubleSince: troubleSince ?? context.clock.now() };
  await changeLeased(context, connection, { ...counted, ...changes });
  context.forgetStatus(teamId);
};

export const writeFailure = async (
  context: RefreshContext,
  connection: LeasedConnection,
  rules: RefreshRules,
  failure: ProviderFailure,
): Promise<void> => {
  const { clock, log, standingOfClient } = context;
  const { teamId, provider } = connection;
  const now = clock.now();
  const client = failure.kind === 'invalid_client' ? await standingOfClient(connection) : null;
  const refusal = countRefusal(connection.refusal, failure, client, now);
  const lasting = findLasting(refusal, failure, client, now);
  const { final, ...standing } = judgeFailure(connection, failure, lasting, now);
  const givenUp = standing.status === 'needs_reconnect';
  // Tell the operator, because only the operator can fix the client.
  if (client !== null && lasting?.client !== 'works')
    log.error({ provider }, 'the provider rejects the client ID and secret set for it');
  if (failure.kind === 'client_missing') log.error({ provider }, 'the OAuth app of a connection is not set up');
  log[givenUp ? 'warn' : 'info']({ provider, teamId, reason: standing.reason }, 'a refresh failed');
  // If an earlier refresh had an unknown result, its `refreshBegunAt` stays until there are new tokens.
  const refreshBegunAt = failure.surelyNotDone ? connection.refreshBegunAt : firstSpentAt(connection);
  const again = nextTryAt({ ...connection, refreshBegunAt }, failure, rules, now, Math.random());
  const isFirstOfMany = failure.kind === 'key_refused' && connection.failures < MISTAKES;
  const dueAt = final ? null : givenUp && !isFirstOfMany ? Math.max(again, now + DAY_MS) : again;
  await writeTrouble(context, connection, { ...standing, refusal, refreshDueAt: dueAt, refreshBegunAt });
};

/**
 * Records that the tokens don't open. They can't be used, or revoked at the provider, unless the key that sealed them
 * comes back.
 */
export const writeUnreadable = async (context: RefreshContext, connection: Connection): Promise<void> => {
  const { teamId, provider, refusal, refreshBegunAt } = connection;
  context.log.error({ provider, teamId }, 'the tokens of a connection cannot be decrypted');
  await writeTrouble(context, connection, {
    status: 'needs_reconnect',
    reason: 'unreadable',
    lastError: "The stored tokens can't be decrypted with the current keys.",
    refusal,
    refreshDueAt: context.clock.now() + DAY_MS,
    refreshBegunAt,
  });
};

/** Records that the provider's entry, or its `refresh`, was removed. It may come back, so the connection stays due. */
export const writeUnrefreshable = async (
  context: RefreshContext,
  connection: Connection,
  lastError: string,
): Promise<void> => {
  const { database, clock, log, forgetStatus } = context;
  const { teamId, provider, expiresAt, troubleSince } = connection;
  const now = clock.now();
  const again = now + HOUR_MS;
  if (!hasExpired(connection, now)) {
    const refreshDueAt = Math.min(expiresAt ?? again, again);
    return void (await changeConnection(database, connection, { refreshDueAt }));
  }
  log.warn({ provider, teamId }, 'a connection has expired and cannot be refreshed');
  await changeStanding(context, connection, {
    status: 'needs_reconnect',
    reason: 'expired',
    lastError,
    troubleSince: troubleSince ?? now,
    refreshDueAt: again,
  });
  forgetStatus(teamId);
};
