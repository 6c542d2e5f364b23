import type { Queries } from '../../platform/index.ts';
import { listContainedTokens } from './contained-token-store.ts';
import { deleteGrants } from './granted-token-store.ts';
import type { Visitor } from './holder.ts';

/**
 * The people through whose hands a credential came: everyone who made a sign-in link on the way to it, and could have
 * opened that link themselves.
 */
export type Hands = readonly string[];

type HandedRow = { handedBy: string | null; handedThrough: string | null };

/** Formats hands for the column, with a space on both sides of each ID, so that `like` finds only whole IDs. */
export const formatHands = (hands: Hands): string | null => (hands.length === 0 ? null : ` ${hands.join(' ')} `);

/** Adds a user, unless the ID is null or already included. */
export const addHands = (hands: Hands, userId: string | null): Hands =>
  userId === null || hands.includes(userId) ? hands : [...hands, userId];

const toHands = ({ handedBy, handedThrough }: HandedRow): Hands =>
  addHands(handedThrough?.split(' ').filter(Boolean) ?? [], handedBy);

/**
 * What a caller's credential passes on to links and tokens that are made with it. `until`: when the credential expires.
 * Null unless it's an access token.
 */
export type Origin = { hands: Hands; until: number | null };

/**
 * Finds what a caller's session or access token passes on. Undefined if the session or token has ended. Locks it until
 * the end of the transaction: `endHandedBy` waits for that, and then also ends what the caller makes now.
 * Lock users before calling this.
 */
export const lockOrigin = async (
  queries: Queries,
  { teamId, userId, sessionId, tokenId }: Visitor,
): Promise<Origin | undefined> => {
  if (sessionId === undefined && tokenId === undefined) return { hands: [], until: null };
  const [from, handedBy] = sessionId === undefined ? ['access_tokens', 'null'] : ['sessions', 'handed_by'];
  const row = await queries.get<HandedRow & { expiresAt: number }>(
    `select ${handedBy} as "handedBy", handed_through as "handedThrough", expires_at as "expiresAt" from ${from}
      where team_id = $1 and user_id = $2 and id = $3 for update`,
    [teamId, userId, sessionId ?? tokenId ?? ''],
  );
  if (!row) return undefined;
  if (sessionId !== undefined) return { hands: toHands(row), until: null };
  // A later statement, because a containment that this waited for is visible only to that.
  if ((await listContainedTokens(queries, [tokenId ?? ''])).length > 0) return undefined;
  return { hands: toHands(row), until: row.expiresAt };
};

/** How many of each were ended. */
export type Ended = { sessions: number; tokens: number; links: number };

export const NOTHING_ENDED: Ended = { sessions: 0, tokens: 0, links: 0 };

const SESSIONS = `sessions where team_id = $1 and handed_by is not null and (handed_by = $2 or handed_through like $3)
  and id <> $4`;
const LINKS = 'sign_in_links where team_id = $1 and used_at is null and (made_by = $2 or handed_through like $3)';
const HANDED_TOKENS = 'team_id = $1 and handed_through like $2';

/**
 * Ends what a person could use to act as someone else: unused sign-in links and invitations that they made, the
 * sessions that began with such a link, and the links and tokens that were made in those sessions. Ends them even if
 * the right person opened the link, because that can't be known. Keeps the session `keptId`.
 */
export const endHandedBy = async (
  queries: Queries,
  { teamId, userId }: { teamId: string; userId: string },
  keptId = '',
): Promise<Ended> => {
  const through = `% ${userId} %`;
  const values = [teamId, userId, through];
  const ended = { ...NOTHING_ENDED };
  // Each deletion waits for whatever is just being made with a session, token, or link. What was made is visible only
  // to the next statement, and could have been used to make more. So repeat until there is nothing left.
  for (;;) {
    const links = await queries.run(`delete from ${LINKS}`, values);
    const sessions = await queries.run(`delete from ${SESSIONS}`, [...values, keptId]);
    const grants = await deleteGrants(queries, HANDED_TOKENS, [teamId, through]);
    const others = await queries.run(`delete from access_tokens where ${HANDED_TOKENS}`, [teamId, through]);
    const tokens = grants + others;
    if (links + sessions + tokens === 0) return ended;
    ended.links += links;
    ended.sessions += sessions;
    ended.tokens += tokens;
  }
};

/** What was ended, for the audit log. Null if there was nothing. */
export const describeEnded = ({ sessions, tokens, links }: Ended): Record<string, unknown> | null => {
  const some = Object.entries({ sessions, tokens, links }).filter(([, count]) => count > 0);
  return some.length > 0 ? { endedWithTheirLinks: Object.fromEntries(some) } : null;
};
