import type { Caller, CallerSource, Customer, Resolved } from '../../http/index.ts';
import { equalSecrets } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import { markUsed } from '../records/access-token-store.ts';
import { findConnectSession } from '../records/connect-session-store.ts';
import { csrfTokenOf, parseAccessToken, parseConnectSession, parseCredential } from '../records/credential.ts';
import { findGrantHolder, findHolderOf, findTokenHolder } from '../records/credential-store.ts';
import { type Holder, holderOf } from '../records/holder.ts';
import { parseRestriction } from '../records/restriction.ts';
import { markSessionUsed } from '../records/session-store.ts';
import { getFirstTeamId } from '../records/team-store.ts';
import { getFirstAdmin } from '../records/user-store.ts';

/** How long a caller is cached, so that a revocation in another process takes effect within a second. */
const FRESH_MS = 800;
const MOST_KNOWN = 10_000;
const LONGEST_CREDENTIAL = 12_000;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

export type FindGrant = (token: string) => Promise<string | null>;

type FoundToken = NonNullable<Awaited<ReturnType<typeof findTokenHolder>>>;

type Remembered = { since: number; callers: Map<string, Caller | Promise<Resolved>> };

/** What a restricted token adds to its caller. */
const limitsOf = (text: string | null, byOperator: boolean): Pick<Caller, 'restriction' | 'returnTo'> => {
  const stored = parseRestriction(text);
  if (!stored) return {};
  const { returnTo, ...restriction } = stored;
  return { restriction: { ...restriction, byOperator }, ...(returnTo === null ? {} : { returnTo }) };
};

/**
 * Turns a credential into its caller, and caches the result for less than a second. `admitOutside` checks tokens of the
 * operator's identity provider, and is null if there is none. `admitOperator` finds the user that the operator acts
 * for. `findGrant` finds the ID of the access token that a client got a token of its own for.
 */
export const createCallers = (
  { database, clock, log, adminToken }: Pick<TeamsContext, 'database' | 'clock' | 'log' | 'adminToken'>,
  admitOutside: ((token: string) => Promise<Holder | null>) | null,
  admitOperator: (customer: Customer) => Promise<Holder>,
  findGrant: FindGrant,
) => {
  let remembered: Remembered = { since: clock.now(), callers: new Map() };

  const forget = (): void => {
    remembered = { since: clock.now(), callers: new Map() };
  };

  const toTokenCaller = (tokenId: string, { holder, fields }: FoundToken): Caller => {
    markUsed(database, holder.teamId, tokenId, clock.now()).catch((err) =>
      log.warn({ err }, 'the last use of a token was not saved'),
    );
    const { name: tokenName, byOperator, restriction } = fields;
    return { ...holder, via: 'token', tokenId, tokenName, ...limitsOf(restriction, byOperator === 1) };
  };

  const lookUpAccessToken = async (token: string): Promise<Resolved> => {
    const credential = parseAccessToken(token);
    const found = credential && (await findTokenHolder(database, credential, clock.now()));
    return found ? toTokenCaller(credential.id, found) : null;
  };

  const lookUpGrant = async (token: string): Promise<Resolved> => {
    const tokenId = await findGrant(token);
    const found = tokenId === null ? null : await findGrantHolder(database, tokenId, clock.now());
    return tokenId !== null && found ? { ...toTokenCaller(tokenId, found), isGranted: true } : null;
  };

  const lookUpConnectSession = async (token: string): Promise<Resolved> => {
    const credential = parseConnectSession(token);
    const session = credential && (await findConnectSession(database, 'bearer', credential, clock.now()));
    if (!session) return null;
    const { userId, teamId, role, providers, returnTo } = session;
    return {
      ...{ userId, teamId, role, via: 'connect_session', connectSessionId: credential.id },
      ...(providers ? { providers } : {}),
      ...(returnTo === null ? {} : { returnTo }),
    };
  };

  const lookUpAdmin = async (token: string): Promise<Resolved> => {
    if (!adminToken || !equalSecrets(adminToken.reveal(), token)) return null;
    const teamId = await getFirstTeamId(database);
    const admin = teamId && (await getFirstAdmin(database, teamId));
    return admin ? { ...holderOf(admin), via: 'admin_token' } : null;
  };

  const lookUpOutside = async (token: string): Promise<Resolved> => {
    const holder = admitOutside && JWT.test(token) ? await admitOutside(token) : null;
    return holder ? { ...holder, via: 'jwt' } : null;
  };

  const lookUpSession = async (cookie: string): Promise<Resolved> => {
    const credential = parseCredential(cookie);
    const holder = credential && (await findHolderOf(database, 'sessions', credential, clock.now()));
    if (!holder) return null;
    markSessionUsed(database, holder.teamId, credential.id, clock.now()).catch((err) =>
      log.warn({ err }, 'the last use of a session was not saved'),
    );
    return { ...holder, via: 'session', csrfToken: csrfTokenOf(credential), sessionId: credential.id };
  };

  /**
   * Returns the cache. The cache is always dropped as a whole, so that no result or credential stays in it for longer
   * than `FRESH_MS`.
   */
  const recall = (): Remembered => {
    const age = clock.now() - remembered.since;
    if (age < 0 || age >= FRESH_MS || remembered.callers.size >= MOST_KNOWN) forget();
    return remembered;
  };

  const remember = (credential: string, lookUp: () => Promise<Resolved>): Resolved | Promise<Resolved> => {
    if (credential.length > LONGEST_CREDENTIAL) return null;
    // `forget` replaces the map. A lookup that was already running still writes to the old map, so a revoked caller
    // isn't cached again.
    const { callers } = recall();
    const known = callers.get(credential);
    if (known) return known;
    // Concurrent requests with the same credential share one lookup.
    const looking = lookUp();
    callers.set(credential, looking);
    looking.then(
      (caller) => (caller ? callers.set(credential, caller) : callers.delete(credential)),
      () => callers.delete(credential),
    );
    return looking;
  };

  return {
    forget,
    fromBearer: (token: string) =>
      remember(
        `bearer ${token}`,
        async () =>
          (await lookUpAccessToken(token)) ??
          (await lookUpGrant(token)) ??
          (await lookUpConnectSession(token)) ??
          (await lookUpAdmin(token)) ??
          (await lookUpOutside(token)),
      ),
    fromSession: (cookie: string) => remember(`session ${cookie}`, () => lookUpSession(cookie)),
    // Team and user come from headers and may contain anything, so JSON keeps them apart.
    fromOperator: (customer: Customer) =>
      remember(`operator ${JSON.stringify([customer.team, customer.user])}`, async () => ({
        ...(await admitOperator(customer)),
        via: 'operator',
      })),
  } satisfies CallerSource & { forget(): void };
};
