import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inSpan, stepAside } from '../../platform/index.ts';
import { withDefaults } from '../catalogue/placeholders.ts';
import { failWithoutResponse } from '../catalogue/provider-failure.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import {
  bearsRepetition,
  type Connection,
  type ConnectionKey,
  type RefreshRules,
  refreshRulesOf,
  spendAgainAt,
  TOKEN_REFUSED,
} from '../connections/connection.ts';
import { changeConnection, getConnection, makeDue, takeLease } from '../connections/connection-store.ts';
import { openTokens, renewalOf } from '../connections/connection-tokens.ts';
import { listContained } from '../containment/consent-store.ts';
import type { IntegrationsContext } from '../context.ts';
import type { Target } from '../requests/ask-provider.ts';
import type { Granted, OpenTokens } from '../requests/grant-requests.ts';
import { keepTrying } from '../requests/keep-trying.ts';
import { openRenewingClient, renewTokens, resolveRenewal } from '../requests/renewal.ts';
import { createClientStandings } from './client-standings.ts';
import { createConnectionWaker } from './connection-waker.ts';
import { correctAccount } from './correct-account.ts';
import {
  firstSpentAt,
  type LeasedConnection,
  type RefreshContext,
  revokeUnowned,
  writeFailure,
  writeTokens,
  writeUnreadable,
  writeUnrefreshable,
} from './record-refresh.ts';

/*
 * The refresh of a connection, from any number of processes at once. The mark is `refresh_begun_at` in the row.
 *
 *   due ──lease taken, mark written──▶ asking ──tokens──▶ stored under a new generation
 *                                        ├─ invalid_grant, row unchanged ──▶ needs_reconnect
 *                                        ├─ surely not done ──▶ degraded, mark removed, tried again later
 *                                        │    └─ refused for days ──▶ needs_reconnect, tried once a day
 *                                        └─ unclear ──▶ degraded, mark stays
 *
 * Guarantees:
 *
 * - Only one process refreshes at a time. The lease is in the row and has an end. Each lease has a new number.
 * - The mark is written before the request is sent. If the process dies in between, the mark shows that the refresh
 *   token may be used up.
 * - New tokens are stored if the generation is still the one that the refresh began with, even if the lease has ended.
 *   So no token is lost because of a lease. If the team has reconnected or disconnected meanwhile, the new tokens are
 *   revoked instead.
 * - A single-use refresh token that may be used up isn't sent again before the access token has expired, unless its
 *   grace period, counted from the first try, still runs.
 */

/** Longer than two requests to the provider and the time spent on storing the response (`KEEP_TRYING_MS`). */
const LEASE_MS = 45_000;
const KEEP_TRYING_MS = 20_000;
const WAIT_MS = 100;
const SUSPENDED_MS = 30 * 24 * 3_600_000;
const MOST_WAIT_MS = 12_000;
/** How old a refused token must be to be renewed. A newer token can't have been refused because of its age. */
const RENEW_EVERY_MS = 60_000;

/** What a refresh is in a trace. It includes waiting for one that is under way. */
const refreshSpan = (provider: string) => () =>
  ({ name: 'refresh connection', kind: 'internal', attributes: { 'patchbay.provider': provider } }) as const;

const CAUTIOUS: RefreshRules = { rotates: 'unknown' };

const PROVIDER_GONE = 'The access token has expired, and this provider is no longer set up here.';
const REFRESH_GONE = "The access token has expired, and this provider doesn't renew it. Connect again.";

/**
 * Whether a refresh has to wait, because a single-use token may be used up, and sending it again could end the grant.
 */
const mustWait = (connection: Connection, rules: RefreshRules, now: number): boolean => {
  const { refreshBegunAt: spentAt } = connection;
  return spentAt !== null && !bearsRepetition(rules, { spentAt, now }) && now < spendAgainAt(connection, rules);
};

/** Puts a contained connection off, so that it makes nobody wait. Lifting the containment makes it due. */
const postponeContained = async (
  { database, clock }: Pick<IntegrationsContext, 'database' | 'clock'>,
  connection: Connection,
): Promise<void> => {
  await changeConnection(database, connection, { refreshDueAt: clock.now() + SUSPENDED_MS });
};

/** Gives the lease back of a refresh that isn't begun. */
const giveLeaseBack = async (
  { database }: Pick<IntegrationsContext, 'database'>,
  { refreshBegunAt, ...leased }: LeasedConnection,
): Promise<void> => {
  const before = { leaseOwner: null, leaseUntil: null, refreshBegunAt };
  await changeConnection(database, leased, before, leased.leaseNumber);
};

/** Waits until another process has refreshed the connection, or gives up after a while. */
const waitForOther = async (
  { database, clock }: Pick<IntegrationsContext, 'database' | 'clock'>,
  connection: Connection,
): Promise<void> => {
  const giveUpAt = performance.now() + MOST_WAIT_MS;
  while (performance.now() < giveUpAt) {
    await sleep(WAIT_MS);
    const current = await getConnection(database, connection);
    if (!current || current.generation !== connection.generation || current.leaseUntil === null) return;
    if (current.leaseUntil <= clock.now()) return;
  }
};

export const createRefresher = (given: IntegrationsContext) => {
  const context: RefreshContext = { ...given, standingOfClient: createClientStandings(given) };
  const { database, vault, clock, clients, log, pause, forgetStatus, url } = context;
  const owner = randomUUID();
  const wakeOthers = createConnectionWaker(context);
  const underWay = new Map<string, Promise<void>>();

  /** Refreshes a connection whose lease this process holds. */
  const refreshLeased = async (
    connection: LeasedConnection,
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
      // This was the second request. Even if it was refused, the provider may have carried out the first.
      if (granted.failure) granted = { tokens: null, failure: { ...granted.failure, surelyNotDone: false } };
    }
    if (granted.failure) return writeFailure(context, connection, rules, granted.failure);
    const { tokens: fresh } = granted;
    // Keep trying to store the new tokens. This process has the only copy, and the stored ones may no longer work.
    const written = await keepTrying(KEEP_TRYING_MS, () =>
      writeTokens(context, connection, target, rules, { old: tokens, fresh }),
    );
    const isStored = written > 0;
    const stored = { ...connection, generation: connection.generation + 1 };
    const { accessToken, kept } = fresh;
    if (isStored) await correctAccount(context, stored, target, { accessToken, kept, response: granted.response });
    else await revokeUnowned(context, target.provider, connection, { old: tokens, fresh });
    if (isStored && connection.status === 'needs_reconnect' && connection.reason !== TOKEN_REFUSED)
      await wakeOthers(connection).catch((err) =>
        log.warn({ err, provider }, 'connections that had been given up on could not be scheduled'),
      );
    forgetStatus(teamId);
  };

  const refreshNow = async (key: ConnectionKey): Promise<void> => {
    const { teamId, provider } = key;
    const connection = await getConnection(database, key);
    const now = clock.now();
    if (!connection || connection.refreshDueAt === null || connection.refreshDueAt > now) return;
    if (connection.containedBy !== null) return postponeContained(context, connection);
    await pause.check();
    const resolved = await resolveRenewal(context, provider);
    if (resolved === undefined) return writeUnrefreshable(context, connection, PROVIDER_GONE);
    if (resolved && !resolved.record.refresh) return writeUnrefreshable(context, connection, REFRESH_GONE);
    // Open the tokens and the client before taking the lease. If that fails or takes long, nobody has to wait for the
    // lease.
    const tokens = await openTokens(vault, connection, renewalOf(resolved ?? {}));
    const client = await openRenewingClient(context, connection, resolved, tokens);
    const leasedAt = clock.now();
    const lease = { owner, now: leasedAt, until: leasedAt + LEASE_MS };
    const leaseNumber = await takeLease(database, connection, lease);
    if (leaseNumber === null) {
      if ((await getConnection(database, key))?.containedBy != null) return;
      return waitForOther(context, connection);
    }
    const leased = { ...connection, leaseNumber, leasedAt };
    // The lease may have waited for a lock, and what was contained meanwhile is visible only to a later statement.
    if ((await listContained(database, [connection])).length > 0) return giveLeaseBack(context, leased);
    const rules = resolved?.record.refresh ?? CAUTIOUS;
    const fail = (...failure: Parameters<typeof failWithoutResponse>) =>
      writeFailure(context, leased, rules, failWithoutResponse(...failure));
    if (!tokens) return writeUnreadable(context, leased);
    // The issuer can't be reached.
    if (!resolved) return fail('unavailable');
    // A grant belongs to the client that it was issued to. The provider would refuse any other client.
    if (client?.id !== connection.clientId)
      return fail((await clients.find(teamId, provider)) ? 'client_replaced' : 'client_missing');
    if (mustWait(connection, rules, now)) return fail('unclear', false);
    const values = withDefaults(connection.details, resolved.record);
    return refreshLeased(leased, { provider: resolved, client, values }, rules, tokens);
  };

  const refresh = ({ teamId, provider, name }: ConnectionKey): Promise<void> => {
    const which = `${teamId} ${provider} ${name}`;
    // Give up the caller's slot among quick requests, because a refresh takes as long as the provider does.
    stepAside();
    return inSpan(refreshSpan(provider), () => {
      const known = underWay.get(which);
      if (known) return known;
      const refreshing = refreshNow({ teamId, provider, name }).finally(() => underWay.delete(which));
      underWay.set(which, refreshing);
      return refreshing;
    });
  };

  const mayRenew = async (connection: Connection): Promise<boolean> => {
    const { provider, refreshedAt, connectedAt } = connection;
    const resolved = await resolveRenewal(context, provider);
    const rules = resolved ? refreshRulesOf(resolved.record, connection) : null;
    if (!rules) return false;
    const leastAgeMs = Math.max(RENEW_EVERY_MS, (rules.leastAgeSeconds ?? 0) * 1_000);
    const ageMs = clock.now() - (refreshedAt ?? connectedAt);
    // A token from the future was issued while the clock was ahead. Its age is unknown, so it may be renewed.
    return ageMs < 0 || ageMs >= leastAgeMs;
  };

  return {
    /** Refreshes a connection that is due. Other callers in this process wait for the same result. */
    refresh,
    /**
     * Refreshes a connection whose access token the provider has refused, unless it was renewed within the last minute.
     * Returns whether the connection has new tokens.
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
