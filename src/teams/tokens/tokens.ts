import type { ListPage, PageQuery, Queries, Transaction } from '../../platform/index.ts';
import type { AuditActor } from '../audit/audit-store.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import { callerRemoved, tokenLimit, tokenNamed, tokenTooLong, tokenUnknown } from '../errors.ts';
import {
  type AccessToken,
  countAccessTokens,
  deleteAccessToken,
  getAccessToken,
  hasTokenNamed,
  listAccessTokens,
} from '../records/access-token-store.ts';
import { formatAccessToken, makeCredential } from '../records/credential.ts';
import { insertCredential } from '../records/credential-store.ts';
import { formatHands, lockOrigin, type Origin } from '../records/handed-store.ts';
import type { Holder, Visitor } from '../records/holder.ts';
import { readIdPage } from '../records/read-id-page.ts';
import { getUserForUpdate } from '../records/user-store.ts';
import { isStillIn } from './is-still-in.ts';

const DAY_MS = 24 * 3_600_000;

export const TOKEN_DAYS = { fallback: 90, most: 366 } as const;

export type MadeToken = { id: string; name: string; createdAt: number; expiresAt: number; token: string };

/**
 * `byOperator`: made on the command line, or with the operator's own token. `isNewName`: refuse a second token with the
 * same name, so that submitting a form twice doesn't make two. `origin`: what the caller's own credential passes on.
 */
type NewToken = { name: string; days?: number | undefined; byOperator?: boolean; isNewName?: boolean; origin?: Origin };

/** When a new token expires: at `until` at the latest, when the token that was used to create it expires. */
const expiryOf = (createdAt: number, days: number | undefined, until: number | null): number => {
  const expiresAt = createdAt + (days ?? TOKEN_DAYS.fallback) * DAY_MS;
  if (until === null || expiresAt <= until) return expiresAt;
  if (days !== undefined) throw tokenTooLong(until);
  return until;
};

/** Adds a token as part of a larger change. Only this result contains the token itself. */
export const addAccessToken = async (
  context: Pick<TeamsContext, 'clock' | 'newId' | 'limits'>,
  tx: Transaction,
  holder: Holder,
  actor: AuditActor,
  {
    name,
    days,
    byOperator = actor.kind === 'command_line',
    isNewName = false,
    origin: { hands, until } = { hands: [], until: null },
  }: NewToken,
): Promise<MadeToken> => {
  const credential = makeCredential(context.newId);
  const createdAt = context.clock.now();
  const expiresAt = expiryOf(createdAt, days, until);
  // Lock the user, so that concurrent requests count each other's tokens.
  await getUserForUpdate(tx, holder.teamId, holder.userId);
  if (isNewName && (await hasTokenNamed(tx, holder, name))) throw tokenNamed(name);
  const { tokens: most } = context.limits;
  if ((await countAccessTokens(tx, holder, createdAt)) >= most) throw tokenLimit(most);
  const handedThrough = formatHands(hands);
  const token = { name, createdAt, expiresAt, byOperator: byOperator ? 1 : 0, handedThrough } as const;
  await insertCredential(tx, 'access_tokens', credential, holder, token);
  const detail = { name, days: Math.ceil((expiresAt - createdAt) / DAY_MS) };
  const entry = { action: 'token.create', target: credential.id, detail };
  await recordAudit(context, tx, holder.teamId, actor, entry);
  return { id: credential.id, name, createdAt, expiresAt, token: formatAccessToken(credential) };
};

/** Gets the caller's own token, or any token of the team if the caller is an admin. */
const getToken = async (queries: Queries, holder: Holder, tokenId: string): Promise<AccessToken> => {
  const token = await getAccessToken(queries, holder.teamId, tokenId);
  if (!token || (holder.role !== 'admin' && token.userId !== holder.userId)) throw tokenUnknown();
  return token;
};

export const createTokens = (
  context: Pick<TeamsContext, 'database' | 'clock' | 'newId' | 'limits' | 'forgetCallers'>,
) => {
  const { database } = context;
  return {
    /** Lists the caller's own tokens, or the team's if the caller is an admin. Newest first. */
    list({ teamId, userId, role }: Holder, query: PageQuery): Promise<ListPage<AccessToken>> {
      const whose = { teamId, userId: role === 'admin' ? null : userId };
      return readIdPage(query, (before, limit) => listAccessTokens(database, whose, before, limit));
    },

    get: (holder: Holder, tokenId: string): Promise<AccessToken> => getToken(database, holder, tokenId),

    create: (asker: Holder & Visitor, actor: AuditActor, token: Omit<NewToken, 'origin'>): Promise<MadeToken> =>
      database.transaction(async (tx) => {
        await getUserForUpdate(tx, asker.teamId, asker.userId);
        const origin = await lockOrigin(tx, asker);
        if (!origin) throw callerRemoved();
        const made = await addAccessToken(context, tx, asker, actor, { ...token, origin });
        // Removing the caller or ending their credential waits for locks that this transaction holds. So the answer
        // can't change before the commit.
        if (!(await isStillIn(tx, asker, made.createdAt))) throw callerRemoved();
        return made;
      }),

    /** Revokes a token. Takes effect immediately here, and within a second in other processes. */
    revoke: (holder: Holder, actor: AuditActor, tokenId: string): Promise<AccessToken> =>
      database.transaction(async (tx) => {
        const token = await getToken(tx, holder, tokenId);
        // If several requests revoke the token at once, only one succeeds.
        if ((await deleteAccessToken(tx, holder.teamId, tokenId)) === 0) throw tokenUnknown();
        const entry = { action: 'token.revoke', target: tokenId, detail: { name: token.name } };
        await recordAudit(context, tx, holder.teamId, actor, entry);
        tx.afterCommit(context.forgetCallers);
        return token;
      }),
  };
};

export type AccessTokens = ReturnType<typeof createTokens>;
