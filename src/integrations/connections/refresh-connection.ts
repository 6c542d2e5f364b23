import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../platform/index.ts';
import type { ProviderFailure } from '../catalogue/provider-failure.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import type { Asked } from '../requests/ask-provider.ts';
import { type Granted, refreshTokens } from '../requests/grant-requests.ts';
import { keepTrying } from '../requests/keep-trying.ts';
import type { Client } from '../requests/provider-request.ts';
import type { Tokens } from '../requests/token-answer.ts';
import { createClientStandings } from './client-standing.ts';
import {
  bearsRepetition,
  type Connection,
  hasExpired,
  nextTryAt,
  type RefreshRules,
  reconnectBefore,
  refreshDueAt,
  spendAgainAt,
} from './connection.ts';
import { changeConnection, changeLeased, getConnection, takeLease } from './connection-store.ts';
import { type OpenTokens, openIfPossible, sealTokens } from './connection-tokens.ts';
import { judgeFailure } from './failed-refresh.ts';
import type { PutDependencies } from './put-connection.ts';
import { countRefusal, findLasting } from './repeated-refusal.ts';
import { findObstacle, putRevocation, sealRevocation, tryRevocation } from './revoke-grant.job.ts';
import { createWaking } from './wake-connections.ts';

/*
 * The refresh of a connection, from any number of processes at once.
 *
 *   due ──lease taken, mark written──▶ asking ──tokens──▶ written under a new generation
 *                                        ├─ invalid_grant, row unchanged ──▶ needs_reconnect
 *                                        ├─ surely not done ──▶ degraded, mark taken off, tried again later
 *                                        │    └─ refused for days ──▶ needs_reconnect, tried once a day
 *                                        └─ unclear ──▶ degraded, mark stays
 *
 * Guarantees. One refresher at a time: the lease is in the row, has an end, and each holder a number that nobody had
 * before. Before the request leaves, the row says so (`refresh_begun_at`), so that a process that dies in between leaves
 * a trace. New tokens are written against the generation that the refresh began with, whether or not the lease ran out
 * meanwhile: no token that the provider gave is dropped for want of a lease, and a reconnect or a disconnect wins over
 * an older refresh, whose tokens are then revoked. Where a refresh token works once and its fate is not known, it is not
 * spent a second time before the access token has expired, unless its grace, counted from the first try, still runs.
 */

export type RefreshDependencies = PutDependencies & { log: Log };

/** Longer than two requests plus the time spent trying to store the response. */
const LEASE_MS = 45_000;
const KEEP_TRYING_MS = 20_000;
const WAIT_MS = 100;
const MOST_WAIT_MS = 12_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const CAUTIOUS: RefreshRules = { rotates: 'unknown' };
const ISSUER_AWAY: ProviderFailure = { kind: 'unavailable', code: null, surelyNotDone: true, retryAfterMs: null };
const CLIENT_MISSING: ProviderFailure = { kind: 'client_missing', code: null, surelyNotDone: true, retryAfterMs: null };
const CLIENT_REPLACED: ProviderFailure = { ...CLIENT_MISSING, kind: 'client_replaced' };
const FATE_UNKNOWN: ProviderFailure = { kind: 'unclear', code: null, surelyNotDone: false, retryAfterMs: null };

const PROVIDER_GONE = 'The access token has expired, and this provider is no longer set up here.';
const REFRESH_GONE = "The access token has expired, and this provider doesn't renew it. Connect again.";

/** `askedAt`: when the refresh under this lease started. */
type Leased = Connection & { askedAt: number };

const firstSpentAt = ({ refreshBegunAt, askedAt }: Leased): number => refreshBegunAt ?? askedAt;

/** The fate of a single-use token is unknown: wait until there's nothing to lose. */
const mustWait = (connection: Connection, rules: RefreshRules, now: number): boolean => {
  const { refreshBegunAt: spentAt } = connection;
  return spentAt !== null && !bearsRepetition(rules, { spentAt, now }) && now < spendAgainAt(connection, rules);
};

export const createRefresher = (dependencies: RefreshDependencies) => {
  const { database, vault, clock, catalogue, discover, clients, log, forgetStatus, url } = dependencies;
  const owner = randomUUID();
  const standingOfClient = createClientStandings(dependencies);
  const wakeOthers = createWaking(dependencies);
  const underWay = new Map<string, Promise<void>>();

  const writeTokens = async (
    connection: Connection,
    rules: RefreshRules,
    old: OpenTokens,
    tokens: Tokens,
  ): Promise<number> => {
    const now = clock.now();
    // No new refresh token means that the old one stays (RFC 6749, section 6).
    const refreshToken = tokens.refreshToken ?? old.refreshToken;
    const refreshExpiresAt = tokens.refreshExpiresAt ?? (tokens.refreshToken ? null : connection.refreshExpiresAt);
    const { expiresAt } = tokens;
    const scopes = tokens.scopes ?? connection.scopesGranted;
    const lifetimes = { expiresAt, refreshExpiresAt, connectedAt: connection.connectedAt, obtainedAt: now };
    return changeConnection(database, connection, {
      generation: connection.generation + 1,
      status: 'connected',
      reason: null,
      details: { ...connection.details, ...tokens.kept },
      scopesGranted: scopes,
      ...(await sealTokens(vault, connection, { accessToken: tokens.accessToken, refreshToken })),
      expiresAt,
      refreshExpiresAt,
      reconnectBefore: reconnectBefore(lifetimes, rules, scopes ?? connection.scopesAsked),
      refreshedAt: now,
      lastError: null,
      failures: 0,
      troubleSince: null,
      refusal: null,
      refreshDueAt: refreshDueAt(lifetimes, rules),
      leaseOwner: null,
      leaseUntil: null,
      refreshBegunAt: null,
    });
  };

  /** The connection was removed or replaced during its refresh, so the new tokens belong to nobody. */
  const giveBack = async (asked: Asked, connection: Connection, tokens: Tokens): Promise<void> => {
    const { teamId, provider, accountId } = connection;
    const current = await getConnection(database, teamId, provider);
    if (current?.accountId === accountId || (await findObstacle(dependencies, asked, connection)) !== null) return;
    const revocation = await sealRevocation(dependencies, asked, connection, tokens);
    await database.transaction((tx) => putRevocation(dependencies, tx, revocation, { firstTry: 'here' }));
    await tryRevocation(dependencies, teamId, revocation.id);
  };

  const writeFailure = async (connection: Leased, rules: RefreshRules, failure: ProviderFailure): Promise<void> => {
    const { teamId, provider, troubleSince, failures } = connection;
    const now = clock.now();
    const client = failure.kind === 'invalid_client' ? await standingOfClient(connection) : null;
    const refusal = countRefusal(connection.refusal, failure, client, now);
    const lasting = findLasting(refusal, failure, client, now);
    const { final, ...standing } = judgeFailure(connection, failure, lasting, now);
    const givenUp = standing.status === 'needs_reconnect';
    // The operator's fault, and the team can't fix it, so the connection isn't declared dead.
    if (client !== null && lasting?.client !== 'works')
      log.error({ provider }, 'the provider rejects the client that is set for it');
    if (failure.kind === 'client_missing') log.error({ provider }, 'the client of a connection is not set');
    log[givenUp ? 'warn' : 'info']({ provider, teamId, reason: standing.reason }, 'a refresh failed');
    // A mark from an earlier refresh with an unknown end stays until new tokens come.
    const refreshBegunAt = failure.surelyNotDone ? connection.refreshBegunAt : firstSpentAt(connection);
    const again = nextTryAt({ ...connection, refreshBegunAt }, failure, rules, now, Math.random());
    await changeLeased(database, connection, {
      ...standing,
      failures: failures + 1,
      troubleSince: troubleSince ?? now,
      refusal,
      refreshDueAt: final ? null : givenUp ? Math.max(again, now + DAY_MS) : again,
      refreshBegunAt,
    });
    forgetStatus(teamId);
  };

  /** Its tokens don't open. Nobody can use it, here or at the provider, unless the key that they need comes back. */
  const writeUnreadable = async (connection: Connection): Promise<void> => {
    const { teamId, provider, troubleSince, failures, refusal, refreshBegunAt } = connection;
    const now = clock.now();
    log.error({ provider, teamId }, 'the tokens of a connection cannot be decrypted');
    await changeLeased(database, connection, {
      status: 'needs_reconnect',
      reason: 'unreadable',
      lastError: "The stored tokens can't be decrypted with the current keys.",
      failures: failures + 1,
      troubleSince: troubleSince ?? now,
      refusal,
      refreshDueAt: now + DAY_MS,
      refreshBegunAt,
    });
    forgetStatus(teamId);
  };

  /** The entry was removed, or its refresh was. Either may come back, so it's checked again. The provider isn't asked. */
  const writeUnrefreshable = async (connection: Connection, lastError: string): Promise<void> => {
    const { teamId, provider, expiresAt, troubleSince } = connection;
    const now = clock.now();
    const again = now + HOUR_MS;
    if (!hasExpired(connection, now)) {
      const refreshDueAt = Math.min(expiresAt ?? again, again);
      return void (await changeConnection(database, connection, { refreshDueAt }));
    }
    log.warn({ provider, teamId }, 'a connection has expired and cannot be refreshed');
    await changeConnection(database, connection, {
      status: 'needs_reconnect',
      reason: 'expired',
      lastError,
      troubleSince: troubleSince ?? now,
      refreshDueAt: again,
    });
    forgetStatus(teamId);
  };

  const ask = ({ provider, details }: Connection, asked: Asked, client: Client, tokens: OpenTokens): Promise<Granted> =>
    refreshTokens(dependencies, asked, client, { ...tokens, redirectUri: redirectUriOf(url, provider) }, details);

  /** Holds the lease from here on. */
  const refreshLeased = async (
    connection: Leased,
    asked: Asked,
    client: Client,
    rules: RefreshRules,
    tokens: OpenTokens,
  ): Promise<void> => {
    let granted = await ask(connection, asked, client, tokens);
    const tries = { spentAt: firstSpentAt(connection), now: clock.now() };
    if (granted.failure && !granted.failure.surelyNotDone && bearsRepetition(rules, tries)) {
      granted = await ask(connection, asked, client, tokens);
      // However the retry ended, the first request may have been carried out.
      if (granted.failure) granted = { tokens: null, failure: { ...granted.failure, surelyNotDone: false } };
    }
    if (granted.failure) return writeFailure(connection, rules, granted.failure);
    const { tokens: fresh } = granted;
    // This process has the only copy of a token that may have replaced the stored one.
    const written = await keepTrying(KEEP_TRYING_MS, () => writeTokens(connection, rules, tokens, fresh));
    if (written === 0) await giveBack(asked, connection, fresh);
    else if (connection.status === 'needs_reconnect')
      await wakeOthers(connection).catch((err) =>
        log.warn({ err, provider: connection.provider }, 'connections that were given up could not be scheduled'),
      );
    forgetStatus(connection.teamId);
  };

  /** Someone else is refreshing. Their result is ours too. */
  const waitForOther = async (connection: Connection): Promise<void> => {
    const giveUpAt = performance.now() + MOST_WAIT_MS;
    while (performance.now() < giveUpAt) {
      await sleep(WAIT_MS);
      const current = await getConnection(database, connection.teamId, connection.provider);
      if (!current || current.generation !== connection.generation || current.leaseUntil === null) return;
      if (current.leaseUntil <= clock.now()) return;
    }
  };

  const refreshNow = async (teamId: string, provider: string): Promise<void> => {
    const connection = await getConnection(database, teamId, provider);
    const entry = catalogue.get(provider);
    const now = clock.now();
    if (!connection || connection.refreshDueAt === null || connection.refreshDueAt > now) return;
    if (!entry) return writeUnrefreshable(connection, PROVIDER_GONE);
    const asked = await Promise.resolve(discover(entry)).catch(() => null);
    if (asked && !asked.record.refresh) return writeUnrefreshable(connection, REFRESH_GONE);
    const client = await clients.open(teamId, provider, connection.clientOf);
    // Before the lease, so that tokens that don't open don't keep others waiting.
    const tokens = await openIfPossible(vault, connection);
    const leasedAt = clock.now();
    const lease = { owner, now: leasedAt, until: leasedAt + LEASE_MS };
    const leaseNumber = await takeLease(database, connection, lease);
    if (leaseNumber === null) return waitForOther(connection);
    const leased = { ...connection, leaseNumber, askedAt: leasedAt };
    const rules = asked?.record.refresh ?? CAUTIOUS;
    if (!tokens) return writeUnreadable(leased);
    if (!asked) return writeFailure(leased, rules, ISSUER_AWAY);
    // A grant belongs to the client that it was issued to. Any other could only be refused.
    if (client?.id !== connection.clientId) {
      const isReplaced = (await clients.find(teamId, provider)) !== null;
      return writeFailure(leased, rules, isReplaced ? CLIENT_REPLACED : CLIENT_MISSING);
    }
    if (mustWait(connection, rules, now)) return writeFailure(leased, rules, FATE_UNKNOWN);
    return refreshLeased(leased, asked, client, rules, tokens);
  };

  return {
    /** Refreshes a connection that is due. Other callers in this process wait for the same result. */
    refresh(teamId: string, provider: string): Promise<void> {
      const key = `${teamId} ${provider}`;
      const known = underWay.get(key);
      if (known) return known;
      const refresh = refreshNow(teamId, provider).finally(() => underWay.delete(key));
      underWay.set(key, refresh);
      return refresh;
    },
  };
};

export type Refresher = ReturnType<typeof createRefresher>;
