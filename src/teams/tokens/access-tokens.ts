import { describeWanted, unauthorized } from '../../http/index.ts';
import {
  type Clock,
  type Database,
  type ListPage,
  type NewId,
  type PageQuery,
  type Queries,
  readPage,
  type Transaction,
} from '../../platform/index.ts';
import { cursorInvalid, tokenLimit, tokenUnknown } from '../errors.ts';
import {
  type AccessToken,
  countAccessTokens,
  deleteAccessToken,
  getAccessToken,
  insertAccessToken,
  listAccessTokens,
} from '../records/access-token-store.ts';
import type { AuditActor } from '../records/audit-store.ts';
import { formatAccessToken, makeCredential } from '../records/credential.ts';
import type { Holder } from '../records/credential-store.ts';
import { isStillIn, type Visitor } from '../records/is-still-in.ts';
import { recordAudit } from '../records/record-audit.ts';
import type { TeamLimits } from '../records/team-limits.ts';
import { getUserForUpdate } from '../records/user-store.ts';

const DAY_MS = 24 * 3_600_000;

export const TOKEN_DAYS = { fallback: 90, most: 366 } as const;

type MakeDependencies = { clock: Clock; newId: NewId; limits: Pick<TeamLimits, 'tokens'> };

export type TokenDependencies = MakeDependencies & { database: Database; forgetCallers(): void };

export type MadeToken = { id: string; name: string; createdAt: number; expiresAt: number; token: string };

/** `byOperator`: made on the command line, or with the operator's own token. */
type NewToken = { name: string; days?: number | undefined; byOperator?: boolean };

/** As part of a larger change. Only this result ever contains the token itself. */
export const addAccessToken = async (
  dependencies: MakeDependencies,
  tx: Transaction,
  holder: Holder,
  actor: AuditActor,
  { name, days = TOKEN_DAYS.fallback, byOperator = actor.kind === 'command_line' }: NewToken,
): Promise<MadeToken> => {
  const credential = makeCredential(dependencies.newId);
  const createdAt = dependencies.clock.now();
  const expiresAt = createdAt + days * DAY_MS;
  // Of several at once, each one counts those before it.
  await getUserForUpdate(tx, holder.teamId, holder.userId);
  const { tokens: most } = dependencies.limits;
  if ((await countAccessTokens(tx, holder, createdAt)) >= most) throw tokenLimit(most);
  await insertAccessToken(tx, credential, holder, { name, createdAt, expiresAt, byOperator });
  const entry = { action: 'token.create', target: credential.id, detail: { name, days } };
  await recordAudit(dependencies, tx, holder.teamId, actor, entry);
  return { id: credential.id, name, createdAt, expiresAt, token: formatAccessToken(credential) };
};

/** Who asks for a token, and with which credential. */
export type TokenAsker = Holder & Visitor;

export const createAccessToken = (
  dependencies: TokenDependencies,
  asker: TokenAsker,
  actor: AuditActor,
  token: NewToken,
): Promise<MadeToken> =>
  dependencies.database.transaction(async (tx) => {
    const made = await addAccessToken(dependencies, tx, asker, actor, token);
    // Ending their credentials takes the lock on the user, which is ours now.
    if (!(await isStillIn(tx, asker, made.createdAt))) throw unauthorized(describeWanted('member'), 'invalid_token');
    return made;
  });

/** A page of the whole team's tokens, or one user's, newest first. */
export const listTokenPage = (
  queries: Queries,
  whose: { teamId: string; userId: string | null },
  query: PageQuery,
): Promise<ListPage<AccessToken>> =>
  readPage(query, {
    read: (before, limit) => listAccessTokens(queries, whose, before, limit),
    keyOf: ({ id }) => id,
    refuseCursor: cursorInvalid,
  });

/** Your own, or the team's if you're an admin. */
export const listTokensFor = (queries: Queries, { teamId, userId, role }: Holder, query: PageQuery) =>
  listTokenPage(queries, { teamId, userId: role === 'admin' ? null : userId }, query);

/** Your own, or anyone's in the team if you're an admin. */
export const getTokenFor = async (queries: Queries, holder: Holder, tokenId: string): Promise<AccessToken> => {
  const token = await getAccessToken(queries, holder.teamId, tokenId);
  if (!token || (holder.role !== 'admin' && token.userId !== holder.userId)) throw tokenUnknown();
  return token;
};

/** Works at once here and within a second in other processes. */
export const revokeAccessToken = (
  dependencies: TokenDependencies,
  holder: Holder,
  actor: AuditActor,
  tokenId: string,
): Promise<AccessToken> =>
  dependencies.database.transaction(async (tx) => {
    const token = await getTokenFor(tx, holder, tokenId);
    await deleteAccessToken(tx, holder.teamId, tokenId);
    await recordAudit(dependencies, tx, holder.teamId, actor, {
      action: 'token.revoke',
      target: tokenId,
      detail: { name: token.name },
    });
    tx.afterCommit(dependencies.forgetCallers);
    return token;
  });
