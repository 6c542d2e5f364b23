import type { FullRecord } from '../catalogue/provider.ts';
import type { ProviderFailure } from '../catalogue/provider-failure.ts';
import type { ChosenSite } from '../requests/chosen-site.ts';
import type { RepeatedRefusal } from './repeated-refusal.ts';

export type ConnectionStatus = 'connected' | 'degraded' | 'needs_reconnect';

/** A team's connection to a provider. Tokens are sealed. A key that is sent to the API is stored as the access token. */
export type Connection = {
  id: string;
  teamId: string;
  provider: string;
  /** Distinguishes the team's connections to one provider. */
  name: string;
  /** Increases with every new set of tokens. */
  generation: number;
  status: ConnectionStatus;
  reason: string | null;
  accountId: string | null;
  accountLabel: string | null;
  /** The company, workspace, or site of the account, if the account is a person's and the provider says so. */
  installationId: string | null;
  /** Which fields of the entry the account was read from (`accountSourceOf`). Null if it wasn't read. */
  accountFrom: string | null;
  /** Params of the connect request, and values kept from the callback and the token response. */
  details: Record<string, string>;
  /** The chosen site, if the consent covers several. Null if there was no site to choose. */
  site: ChosenSite | null;
  clientId: string;
  clientOf: 'operator' | 'team';
  /** The host that issues the tokens. The same account ID at another host is a different account. */
  authority: string;
  scopesAsked: string[];
  scopesGranted: string[] | null;
  accessToken: string;
  refreshToken: string | null;
  expiresAt: number | null;
  refreshExpiresAt: number | null;
  reconnectBefore: number | null;
  connectedAt: number;
  connectedBy: string;
  refreshedAt: number | null;
  lastError: string | null;
  failures: number;
  troubleSince: number | null;
  refusal: RepeatedRefusal | null;
  refreshDueAt: number | null;
  leaseOwner: string | null;
  leaseNumber: number;
  leaseUntil: number | null;
  /** When a refresh began whose result wasn't stored. Its refresh token may be used up. */
  refreshBegunAt: number | null;
  /** When the connection was last used through the proxy. */
  usedAt: number | null;
  /** When the connection was last refreshed or verified because the provider had refused its access token or key. */
  renewedAt: number | null;
  /** When the credential is verified next. Null if it never is, because using or renewing it shows whether it works. */
  verifyDueAt: number | null;
  /** When the entry's verification last accepted an access token of this consent. */
  verifiedAt: number | null;
  /** When an access token was last handed out, to the hour. */
  handedOutAt: number | null;
  /** The containment in force that stops it, as of this reading. Null if there is none. */
  containedBy: string | null;
};

/** The reason of a connection whose access token is refused, although the provider has just renewed it, or can't. */
export const TOKEN_REFUSED = 'token_refused';

/** A connection without its tokens, as lists read it. */
export type ListedConnection = Omit<Connection, 'accessToken' | 'refreshToken'>;

/** Identifies a connection, even if its grant is replaced. */
export type ConnectionKey = Pick<Connection, 'teamId' | 'provider' | 'name'>;

export type RefreshRules = NonNullable<FullRecord['refresh']>;

/** The rules for refreshing a connection. Null if it can't be refreshed. */
export const refreshRulesOf = (
  { refresh }: Pick<FullRecord, 'refresh'>,
  { refreshToken }: { refreshToken: unknown },
): RefreshRules | null => (refresh && (refreshToken !== null || refresh.with === 'access_token') ? refresh : null);

/** When the current tokens were issued, and for how long. */
export type Lifetimes = Pick<Connection, 'expiresAt' | 'refreshExpiresAt' | 'connectedAt'> & { obtainedAt: number };

const DAY_MS = 24 * 3_600_000;
const LEAD_MS = 5 * 60_000;
const LEAD_SHARE = 0.2;
/**
 * An unused grant is refreshed after this share of its lifetime. The rest leaves time to try again after a long outage.
 */
const KEEP_ALIVE_SHARE = 0.7;
const LAST_CHANCE_MS = 3_600_000;
const FIRST_RETRY_MS = 15_000;
const MOST_RETRY_MS = 3_600_000;
/** How long a refresh may take to reach the provider. A used token has to get there within its grace period. */
const ON_ITS_WAY_MS = 10_000;

const earliest = (...instants: (number | null)[]): number | null => {
  const known = instants.filter((instant) => instant !== null);
  return known.length === 0 ? null : Math.min(...known);
};

const beforeExpiry = (expiresAt: number | null, obtainedAt: number): number | null =>
  expiresAt === null ? null : expiresAt - Math.min(LEAD_MS, Math.max(0, expiresAt - obtainedAt) * LEAD_SHARE);

const beforeLapse = (
  { obtainedAt, refreshExpiresAt }: Lifetimes,
  { idleDays, rotates }: RefreshRules,
): number | null => {
  const lapsesAt = earliest(
    rotates === 'never' ? null : refreshExpiresAt,
    idleDays === undefined ? null : obtainedAt + idleDays * DAY_MS,
  );
  return lapsesAt === null ? null : obtainedAt + (lapsesAt - obtainedAt) * KEEP_ALIVE_SHARE;
};

/** When to refresh the connection: before the access token expires, and before an unused grant lapses. */
export const refreshDueAt = (lifetimes: Lifetimes, rules: RefreshRules | null): number | null => {
  if (!rules) return null;
  const due = earliest(beforeExpiry(lifetimes.expiresAt, lifetimes.obtainedAt), beforeLapse(lifetimes, rules));
  if (due === null) return null;
  return Math.round(Math.max(due, lifetimes.obtainedAt + (rules.leastAgeSeconds ?? 0) * 1_000));
};

/**
 * When a person has to connect again, even if nothing fails. Null if that time isn't known, or if it must be wrong,
 * because tokens were issued after it.
 */
export const reconnectBefore = (
  lifetimes: Lifetimes,
  rules: RefreshRules | null,
  scopes: readonly string[] = [],
): number | null => {
  const { expiresAt, refreshExpiresAt, connectedAt, obtainedAt } = lifetimes;
  if (!rules) return expiresAt;
  const { absoluteDays, absoluteUnlessScope } = rules;
  const lifted = absoluteUnlessScope !== undefined && scopes.includes(absoluteUnlessScope);
  const ceiling = absoluteDays === undefined || lifted ? null : connectedAt + absoluteDays * DAY_MS;
  // If the refresh token is never replaced, its expiry is final, because using it doesn't extend it.
  const before = earliest(ceiling, rules.rotates === 'never' ? refreshExpiresAt : null);
  return before !== null && before > obtainedAt ? before : null;
};

/**
 * Whether a refresh token that may have been used at `spentAt` can be sent again now. If the clock was set back, `now`
 * may be before `spentAt`. Then we can't know how much time has passed, and use the absolute difference.
 */
export const bearsRepetition = (
  { rotates, graceSeconds = 0 }: RefreshRules,
  { spentAt, now }: { spentAt: number; now: number },
): boolean => rotates === 'never' || Math.abs(now - spentAt) + ON_ITS_WAY_MS <= graceSeconds * 1_000;

export const hasExpired = ({ expiresAt }: Pick<Connection, 'expiresAt'>, now: number): boolean =>
  expiresAt !== null && expiresAt <= now;

/**
 * When a single-use token that may be used up can be sent again: once the access token has expired, or an hour before
 * the grant lapses. If neither time is known, an hour after the refresh began.
 */
export const spendAgainAt = (
  connection: Pick<Connection, 'expiresAt' | 'refreshExpiresAt' | 'refreshedAt' | 'connectedAt' | 'refreshBegunAt'>,
  { idleDays }: RefreshRules,
): number => {
  const obtainedAt = connection.refreshedAt ?? connection.connectedAt;
  const lapsesAt = earliest(
    connection.refreshExpiresAt,
    idleDays === undefined ? null : obtainedAt + idleDays * DAY_MS,
  );
  const worthless = connection.expiresAt ?? (connection.refreshBegunAt ?? obtainedAt) + LAST_CHANCE_MS;
  return lapsesAt === null ? worthless : Math.min(worthless, lapsesAt - LAST_CHANCE_MS);
};

const backOff = (failures: number, random: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures, 20), MOST_RETRY_MS) * (0.8 + 0.4 * random);

/**
 * When to try again. After an unclear response, a single-use token may be used up. The provider may end the whole grant
 * if such a token is sent again after its grace period, so wait until there's little to lose (`spendAgainAt`).
 */
export const nextTryAt = (
  connection: Parameters<typeof spendAgainAt>[0] & Pick<Connection, 'failures'>,
  failure: ProviderFailure,
  rules: RefreshRules,
  now: number,
  random: number,
): number => {
  const soonest = now + Math.max(backOff(connection.failures, random), failure.retryAfterMs ?? 0);
  const spentAt = connection.refreshBegunAt ?? now;
  const mayBeSpent = !failure.surelyNotDone && !bearsRepetition(rules, { spentAt, now: soonest });
  const begun = { ...connection, refreshBegunAt: spentAt };
  return Math.round(mayBeSpent ? Math.max(soonest, spendAgainAt(begun, rules)) : soonest);
};

type GrantOf = Pick<Connection, 'accountId' | 'installationId' | 'accountFrom' | 'clientId' | 'clientOf' | 'authority'>;

/**
 * Whether two grants are surely for different accounts. The same ID at another host is another account, because each
 * host may number its own. False if one of the accounts is unknown, or if the old one was read from other fields of the
 * entry, which named the company: the same person may have given both.
 */
export const isOtherAccount = (old: GrantOf, current: GrantOf): boolean => {
  if (old.accountId === null || current.accountId === null) return false;
  if (old.authority !== current.authority) return true;
  if (old.accountId === current.accountId) return false;
  return old.accountFrom === current.accountFrom || old.accountId !== current.installationId;
};

/** Whether one grant is for another company, workspace, or site than the other, though the person may be the same. */
export const isOtherInstallation = (
  old: Pick<Connection, 'installationId' | 'accountFrom'>,
  current: Pick<Connection, 'installationId' | 'accountFrom'>,
): boolean =>
  old.accountFrom === current.accountFrom &&
  old.installationId !== null &&
  current.installationId !== null &&
  old.installationId !== current.installationId;

/**
 * Whether the old grant can be revoked without ending the new one. True if the new one is for another account, or if
 * the team's own client has replaced the operator's. If any other client was replaced, the old grant can't be revoked
 * at all, because nobody has that client's secret anymore.
 */
export const endsAlone = (old: GrantOf, current: GrantOf): boolean => {
  const isOtherClients =
    old.clientOf === 'operator' && current.clientOf === 'team' && old.clientId !== current.clientId;
  return isOtherAccount(old, current) || (isOtherClients && old.accountId !== null);
};

/** The scopes that were requested but not granted. Empty if the provider doesn't say. */
export const missingScopes = ({ scopesAsked, scopesGranted }: Pick<Connection, 'scopesAsked' | 'scopesGranted'>) => {
  if (scopesGranted === null) return [];
  const granted = new Set(scopesGranted);
  return scopesAsked.filter((scope) => !granted.has(scope));
};
