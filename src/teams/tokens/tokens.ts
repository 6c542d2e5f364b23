import { adminOnly } from '../../http/index.ts';
import type { ListPage, PageQuery, Queries, Transaction } from '../../platform/index.ts';
import type { AuditActor } from '../audit/audit-store.ts';
import { recordAudit, SERVICE } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import {
  callerRemoved,
  restrictedTooLong,
  tokenLimit,
  tokenNamed,
  tokenTimeUnclear,
  tokenTooLong,
  tokenUnknown,
} from '../errors.ts';
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
import { printRestriction, type StoredRestriction } from '../records/restriction.ts';
import { getUserForUpdate } from '../records/user-store.ts';
import { lockCaller } from '../team/lock-caller.ts';
import { isStillIn } from './is-still-in.ts';
import { type AskedRights, readRights } from './token-rights.ts';

const DAY_MS = 24 * 3_600_000;

const MINUTE_MS = 60_000;

export const TOKEN_DAYS = { fallback: 90, most: 366, mostRestricted: 365 } as const;
export const TOKEN_MINUTES = TOKEN_DAYS.mostRestricted * 1_440;

export type MadeToken = { id: string; name: string; createdAt: number; expiresAt: number; token: string };

/**
 * `byOperator`: made on the command line, or with the operator's own token. `isNewName`: refuse a second token with the
 * same name, so that submitting a form twice doesn't make two. `origin`: what the caller's own credential passes on.
 * `client`: the host of the client that it's granted to through OAuth, which never gets the token itself.
 */
type NewToken = {
  name: string;
  days?: number | undefined;
  minutes?: number | undefined;
  byOperator?: boolean;
  isNewName?: boolean;
  origin?: Origin;
  restriction?: StoredRestriction | null;
  client?: string | null;
};

/** When a new token expires: at `until` at the latest, when the token that was used to create it expires. */
const expiryOf = (createdAt: number, { days, minutes, restriction = null }: NewToken, until: number | null): number => {
  if (days !== undefined && minutes !== undefined) throw tokenTimeUnclear();
  const { mostRestricted } = TOKEN_DAYS;
  if (restriction && (days ?? 0) > mostRestricted) throw restrictedTooLong(mostRestricted);
  const lifetimeMs = minutes === undefined ? (days ?? TOKEN_DAYS.fallback) * DAY_MS : minutes * MINUTE_MS;
  const expiresAt = createdAt + lifetimeMs;
  if (until === null || expiresAt <= until) return expiresAt;
  if (days !== undefined || minutes !== undefined) throw tokenTooLong(until);
  return until;
};

/** What a token can do, as the audit log says it. */
const summarize = (restriction: StoredRestriction | null) =>
  restriction && {
    can: restriction.can.join(' '),
    allow: [...new Set(restriction.allow.map(({ provider }) => provider))].join(' '),
    ...(restriction.approvalMinutes === null ? {} : { asks: true }),
  };

/** Adds a token as part of a larger change. Only this result contains the token itself. */
export const addAccessToken = async (
  context: Pick<TeamsContext, 'clock' | 'newId' | 'limits'>,
  tx: Transaction,
  holder: Holder,
  actor: AuditActor,
  asked: NewToken,
): Promise<MadeToken> => {
  const {
    name,
    byOperator = actor.kind === 'command_line',
    isNewName = false,
    restriction = null,
    client = null,
  } = asked;
  const { hands, until } = asked.origin ?? { hands: [], until: null };
  const credential = makeCredential(context.newId);
  const createdAt = context.clock.now();
  const expiresAt = expiryOf(createdAt, asked, until);
  // Lock the user, so that concurrent requests count each other's tokens.
  await getUserForUpdate(tx, holder.teamId, holder.userId);
  if (isNewName && (await hasTokenNamed(tx, holder, name))) throw tokenNamed(name);
  const { tokens: most } = context.limits;
  if ((await countAccessTokens(tx, holder, createdAt)) >= most) throw tokenLimit(most);
  const handedThrough = formatHands(hands);
  const rights = printRestriction(restriction);
  const token = { name, createdAt, expiresAt, byOperator: byOperator ? 1 : 0, handedThrough, client } as const;
  await insertCredential(tx, 'access_tokens', credential, holder, { ...token, restriction: rights });
  const lasts = expiresAt - createdAt;
  const lifetime = lasts < DAY_MS ? { minutes: Math.ceil(lasts / MINUTE_MS) } : { days: Math.ceil(lasts / DAY_MS) };
  const detail = { name, ...(client === null ? {} : { client }), ...lifetime, ...summarize(restriction) };
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
  context: Pick<TeamsContext, 'database' | 'clock' | 'newId' | 'limits' | 'forgetCallers' | 'bindAllowed'>,
) => {
  const { database } = context;

  const listTokens = (
    { teamId, userId, role }: Holder,
    query: PageQuery,
    isRestricted: boolean,
  ): Promise<ListPage<AccessToken>> => {
    const which = { teamId, userId: role === 'admin' ? null : userId, isRestricted };
    return readIdPage(query, (before, limit) => listAccessTokens(database, which, before, limit));
  };

  return {
    /** Lists the caller's own tokens, or the team's if the caller is an admin. Newest first. */
    list: (holder: Holder, query: PageQuery): Promise<ListPage<AccessToken>> => listTokens(holder, query, false),

    /** Lists only those that are restricted: what agents and scripts have. */
    listRestricted: (holder: Holder, query: PageQuery): Promise<ListPage<AccessToken>> =>
      listTokens(holder, query, true),

    get: (holder: Holder, tokenId: string): Promise<AccessToken> => getToken(database, holder, tokenId),

    async create(
      asker: Holder & Visitor,
      actor: AuditActor,
      { rights = {}, ...token }: Omit<NewToken, 'origin' | 'restriction'> & { rights?: AskedRights },
    ): Promise<MadeToken> {
      const { byOperator: isOperator = actor.kind === 'command_line' } = token;
      const { teamId, userId, role } = asker;
      const who = { teamId, isAdmin: isOperator || role === 'admin', isOperator };
      const restriction = await readRights(context.bindAllowed, who, rights);
      return database.transaction(async (tx) => {
        const user = await getUserForUpdate(tx, teamId, userId);
        const origin = await lockOrigin(tx, asker);
        if (!origin) throw callerRemoved();
        // In other processes, a former admin stays cached for up to a second.
        if (restriction?.allow.length && !isOperator && user?.role !== 'admin') throw adminOnly();
        const made = await addAccessToken(context, tx, asker, actor, { ...token, origin, restriction });
        // Removing the caller or ending their credential waits for locks that this transaction holds. So the answer
        // can't change before the commit.
        if (!(await isStillIn(tx, asker, made.createdAt))) throw callerRemoved();
        return made;
      });
    },

    /** Revokes a token. Takes effect immediately here, and within a second in other processes. */
    revoke: (holder: Holder, actor: AuditActor, tokenId: string): Promise<AccessToken> =>
      database.transaction(async (tx) => {
        const user = await lockCaller(tx, holder.teamId, actor);
        // In other processes, a former admin stays cached for up to a second.
        const role = user?.role === 'member' ? user.role : holder.role;
        const token = await getToken(tx, { ...holder, role }, tokenId);
        // If several requests revoke the token at once, only one succeeds.
        if ((await deleteAccessToken(tx, holder.teamId, tokenId)) === 0) throw tokenUnknown();
        const entry = { action: 'token.revoke', target: tokenId, detail: { name: token.name } };
        await recordAudit(context, tx, holder.teamId, actor, entry);
        tx.afterCommit(context.forgetCallers);
        return token;
      }),

    /** Ends a token that was granted to a client. `why` is in the audit log. Nothing happens if it has ended already. */
    endGrant: (teamId: string, tokenId: string, why: string): Promise<void> =>
      database.transaction(async (tx) => {
        const token = await getAccessToken(tx, teamId, tokenId);
        if (!token || token.client === null || (await deleteAccessToken(tx, teamId, tokenId)) === 0) return;
        const entry = { action: 'token.revoke', target: tokenId, detail: { name: token.name, why } };
        await recordAudit(context, tx, teamId, SERVICE, entry);
        tx.afterCommit(context.forgetCallers);
      }),
  };
};

export type AccessTokens = ReturnType<typeof createTokens>;
