import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { stepAside } from '../../platform/index.ts';
import type { ResolvedProvider } from '../catalogue/provider.ts';
import { failWithoutResponse, type ProviderFailure } from '../catalogue/provider-failure.ts';
import { addKept } from '../catalogue/provider-params.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import type { IntegrationsContext } from '../context.ts';
import type { Target } from '../requests/ask-provider.ts';
import type { Granted, OpenTokens } from '../requests/grant-requests.ts';
import { keepTrying } from '../requests/keep-trying.ts';
import { openRenewingClient, renewTokens, resolveRenewal } from '../requests/renewal.ts';
import type { Tokens } from '../requests/token-response.ts';
import { changeLeased, changeStanding } from './change-standing.ts';
import { createClientStandings } from './client-standings.ts';
import {
  bearsRepetition,
  type Connection,
  type ConnectionKey,
  endsAlone,
  hasExpired,
  nextTryAt,
  type RefreshRules,
  spendAgainAt,
} from './connection.ts';
import { changeConnection, getConnection, makeDue, takeLease } from './connection-store.ts';
import { openTokens, renewalOf, startFresh } from './connection-tokens.ts';
import { createConnectionWaker } from './connection-waker.ts';
import { judgeFailure } from './judge-failure.ts';
import { countRefusal, findLasting } from './repeated-refusal.ts';
import { findObstacle, putRevocation, sealRevocation, tryRevocation } from './revoke-grant.job.ts';

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

/** Longer than two requests plus the time spent trying to store the response. */
const LEASE_MS = 45_000;
const KEEP_TRYING_MS = 20_000;
const WAIT_MS = 100;
const MOST_WAIT_MS = 12_000;
const HOUR_MS = 3_600_000;
/** A token that was just issued isn't refused for its age. */
const RENEW_EVERY_MS = 60_000;
const DAY_MS = 24 * HOUR_MS;

/** How often credentials that were entered are tried again within minutes after the provider has refused them. */
const MISTAKES = 6;

const CAUTIOUS: RefreshRules = { rotates: 'unknown' };

const PROVIDER_GONE = 'The access token has expired, and this provider is no longer set up here.';
const REFRESH_GONE = "The access token has expired, and this provider doesn't renew it. Connect again.";

/** `leasedAt`: when the refresh under this lease started. */
type Leased = Connection & { leasedAt: number };

const firstSpentAt = ({ refreshBegunAt, leasedAt }: Leased): number => refreshBegunAt ?? leasedAt;

/** The fate of a single-use token is unknown: wait until there's nothing to lose. */
const mustWait = (connection: Connection, rules: RefreshRules, now: number): boolean => {
  const { refreshBegunAt: spentAt } = connection;
  return spentAt !== null && !bearsRepetition(rules, { spentAt, now }) && now < spendAgainAt(connection, rules);
};

export const createRefresher = (context: IntegrationsContext) => {
  const { database, vault, clock, clients, log, pause, forgetStatus, url } = context;
  const owner = randomUUID();
  const standingOfClient = createClientStandings(context);
  const wakeOthers = createConnectionWaker(context);
  const underWay = new Map<string, Promise<void>>();

  const writeTokens = async (
    connection: Connection,
    { provider }: Target,
    rules: RefreshRules,
    old: OpenTokens,
    tokens: Tokens,
  ): Promise<number> => {
    const now = clock.now();
    // No new refresh token means that the old one stays (RFC 6749, section 6).
    const refreshToken = tokens.refreshToken ?? old.refreshToken;
    const refreshExpiresAt = tokens.refreshExpiresAt ?? (tokens.refreshToken ? null : connection.refreshExpiresAt);
    const scopes = tokens.scopes ?? connection.scopesGranted;
    const current = { ...tokens, refreshToken, refreshExpiresAt, scopes };
    return changeStanding(context, connection, {
      ...(await startFresh(vault, connection, current, rules, now, renewalOf(provider))),
      generation: connection.generation + 1,
      details: addKept(provider.record, connection.details, tokens.kept),
      refreshedAt: now,
    });
  };

  /** The connection was removed or replaced during its refresh, so the new tokens belong to nobody. */
  const giveBack = async (resolved: ResolvedProvider, connection: Connection, tokens: Tokens): Promise<void> => {
    const { teamId } = connection;
    const current = await getConnection(database, connection);
    if (current && !endsAlone(connection, current)) return;
    if ((await findObstacle(context, resolved, connection)) !== null) return;
    const revocation = await sealRevocation(context, resolved, connection, tokens);
    await database.transaction((tx) => putRevocation(context, tx, revocation, { firstTry: 'here' }));
    await tryRevocation(context, teamId, revocation.id);
  };

  /** Ends the lease without new tokens. */
  const writeTrouble = async (
    connection: Connection,
    changes: Pick<Connection, 'status' | 'reason' | 'lastError' | 'refusal' | 'refreshDueAt' | 'refreshBegunAt'>,
  ): Promise<void> => {
    const { teamId, failures, troubleSince } = connection;
    const counted = { failures: failures + 1, troubleSince: troubleSince ?? clock.now() };
    await changeLeased(context, connection, { ...counted, ...changes });
    forgetStatus(teamId);
  };

  const writeFailure = async (connection: Leased, rules: RefreshRules, failure: ProviderFailure): Promise<void> => {
    const { teamId, provider } = connection;
    const now = clock.now();
    const client = failure.kind === 'invalid_client' ? await standingOfClient(connection) : null;
    const refusal = countRefusal(connection.refusal, failure, client, now);
    const lasting = findLasting(refusal, failure, client, now);
    const { final, ...standing } = judgeFailure(connection, failure, lasting, now);
    const givenUp = standing.status === 'needs_reconnect';
    // The operator's fault, and the team can't fix it, so the connection isn't declared dead.
    if (client !== null && lasting?.client !== 'works')
      log.error({ provider }, 'the provider rejects the client ID and secret set for it');
    if (failure.kind === 'client_missing') log.error({ provider }, 'the OAuth app of a connection is not set up');
    log[givenUp ? 'warn' : 'info']({ provider, teamId, reason: standing.reason }, 'a refresh failed');
    // A mark from an earlier refresh with an unknown end stays until new tokens come.
    const refreshBegunAt = failure.surelyNotDone ? connection.refreshBegunAt : firstSpentAt(connection);
    const again = nextTryAt({ ...connection, refreshBegunAt }, failure, rules, now, Math.random());
    const isFirstOfMany = failure.kind === 'key_refused' && connection.failures < MISTAKES;
    const dueAt = final ? null : givenUp && !isFirstOfMany ? Math.max(again, now + DAY_MS) : again;
    await writeTrouble(connection, { ...standing, refusal, refreshDueAt: dueAt, refreshBegunAt });
  };

  /** Its tokens don't open. Nobody can use it, here or at the provider, unless the key that they need comes back. */
  const writeUnreadable = async (connection: Connection): Promise<void> => {
    const { teamId, provider, refusal, refreshBegunAt } = connection;
    log.error({ provider, teamId }, 'the tokens of a connection cannot be decrypted');
    await writeTrouble(connection, {
      status: 'needs_reconnect',
      reason: 'unreadable',
      lastError: "The stored tokens can't be decrypted with the current keys.",
      refusal,
      refreshDueAt: clock.now() + DAY_MS,
      refreshBegunAt,
    });
  };

  /**
   * The entry was removed, or its refresh was. Either may come back, so it's checked again. No request is sent to the
   * provider.
   */
  const writeUnrefreshable = async (connection: Connection, lastError: string): Promise<void> => {
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

  /** Holds the lease from here on. */
  const refreshLeased = async (
    connection: Leased,
    target: Target,
    rules: RefreshRules,
    tokens: OpenTokens,
  ): Promise<void> => {
    const { teamId, provider } = connection;
    const spent = { ...tokens, redirectUri: redirectUriOf(url, provider) };
    const ask = (): Promise<Granted> => renewTokens(context, target, spent);
    let granted = await ask();
    const tries = { spentAt: firstSpentAt(connection), now: clock.now() };
    if (granted.failure && !granted.failure.surelyNotDone && bearsRepetition(rules, tries)) {
      granted = await ask();
      // However the retry ended, the first request may have been carried out.
      if (granted.failure) granted = { tokens: null, failure: { ...granted.failure, surelyNotDone: false } };
    }
    if (granted.failure) return writeFailure(connection, rules, granted.failure);
    const { tokens: fresh } = granted;
    // This process has the only copy of a token that may have replaced the stored one.
    const written = await keepTrying(KEEP_TRYING_MS, () => writeTokens(connection, target, rules, tokens, fresh));
    if (written === 0) await giveBack(target.provider, connection, fresh);
    else if (connection.status === 'needs_reconnect')
      await wakeOthers(connection).catch((err) =>
        log.warn({ err, provider }, 'connections that had been given up on could not be scheduled'),
      );
    forgetStatus(teamId);
  };

  /** Someone else is refreshing. Their result is ours too. */
  const waitForOther = async (connection: Connection): Promise<void> => {
    const giveUpAt = performance.now() + MOST_WAIT_MS;
    while (performance.now() < giveUpAt) {
      await sleep(WAIT_MS);
      const current = await getConnection(database, connection);
      if (!current || current.generation !== connection.generation || current.leaseUntil === null) return;
      if (current.leaseUntil <= clock.now()) return;
    }
  };

  const refreshNow = async (key: ConnectionKey): Promise<void> => {
    const { teamId, provider } = key;
    const connection = await getConnection(database, key);
    const now = clock.now();
    if (!connection || connection.refreshDueAt === null || connection.refreshDueAt > now) return;
    await pause.check();
    const resolved = await resolveRenewal(context, provider);
    if (resolved === undefined) return writeUnrefreshable(connection, PROVIDER_GONE);
    if (resolved && !resolved.record.refresh) return writeUnrefreshable(connection, REFRESH_GONE);
    // Before the lease, so that tokens that don't open don't keep others waiting.
    const tokens = await openTokens(vault, connection, renewalOf(resolved ?? {}));
    const client = await openRenewingClient(context, connection, resolved, tokens);
    const leasedAt = clock.now();
    const lease = { owner, now: leasedAt, until: leasedAt + LEASE_MS };
    const leaseNumber = await takeLease(database, connection, lease);
    if (leaseNumber === null) return waitForOther(connection);
    const leased = { ...connection, leaseNumber, leasedAt };
    const rules = resolved?.record.refresh ?? CAUTIOUS;
    const fail = (...failure: Parameters<typeof failWithoutResponse>) =>
      writeFailure(leased, rules, failWithoutResponse(...failure));
    if (!tokens) return writeUnreadable(leased);
    // Its issuer is away.
    if (!resolved) return fail('unavailable');
    // A grant belongs to the client that it was issued to. Any other could only be refused.
    if (client?.id !== connection.clientId)
      return fail((await clients.find(teamId, provider)) ? 'client_replaced' : 'client_missing');
    if (mustWait(connection, rules, now)) return fail('unclear', false);
    return refreshLeased(leased, { provider: resolved, client, values: connection.details }, rules, tokens);
  };

  const refresh = ({ teamId, provider, name }: ConnectionKey): Promise<void> => {
    const which = `${teamId} ${provider} ${name}`;
    const known = underWay.get(which);
    // Whoever refreshes, it takes as long as the provider does.
    stepAside();
    if (known) return known;
    const refreshing = refreshNow({ teamId, provider, name }).finally(() => underWay.delete(which));
    underWay.set(which, refreshing);
    return refreshing;
  };

  const mayRenew = async ({ provider, refreshToken, refreshedAt, connectedAt }: Connection): Promise<boolean> => {
    const rules = (await resolveRenewal(context, provider))?.record.refresh;
    if (!rules || (refreshToken === null && rules.with !== 'access_token')) return false;
    const leastAgeMs = Math.max(RENEW_EVERY_MS, (rules.leastAgeSeconds ?? 0) * 1_000);
    const ageMs = clock.now() - (refreshedAt ?? connectedAt);
    // A token from the future was issued while the clock was ahead. It may have any age.
    return ageMs < 0 || ageMs >= leastAgeMs;
  };

  return {
    /** Refreshes a connection that is due. Other callers in this process wait for the same result. */
    refresh,
    /**
     * For a connection whose access token the provider has refused: refreshes it, unless that happened within the last
     * minute. Returns whether it has other tokens than before.
     */
    async renew(refused: Connection): Promise<boolean> {
      const now = clock.now();
      if (await mayRenew(refused)) await makeDue(database, refused, { now, notSince: now - RENEW_EVERY_MS });
      await refresh(refused);
      const current = await getConnection(database, refused);
      return current !== undefined && current.id === refused.id && current.generation !== refused.generation;
    },
  };
};

export type Refresher = ReturnType<typeof createRefresher>;
