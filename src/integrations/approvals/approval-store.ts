import {
  AFTER_IDS,
  deleteInPieces,
  firstIdAt,
  insertRow,
  type Queries,
  selectFields,
  type Value,
} from '../../platform/index.ts';
import type { Approval, ApprovalState, DecidedWith } from './approval.ts';

type ApprovalRow = Omit<Approval, 'byOperator' | 'account' | 'decidedWith'> & {
  byOperator: number;
  account: string;
  decidedWith: string | null;
};

const LISTED = [
  ...['id', 'teamId', 'tokenId', 'tokenName', 'userId', 'byOperator', 'provider', 'connection', 'account', 'host'],
  ...['origin', 'target', 'bytes', 'state', 'requestedAt', 'expiresAt', 'decidedBy', 'decidedWith', 'decidedAt'],
  ...['leaseUntil', 'begunAt', 'endedAt', 'status', 'problem'],
] as const;
const LIST = `select ${selectFields(LISTED)} from approvals`;
const SELECT = `select ${selectFields([...LISTED, 'content'])} from approvals`;

/** An approval in a list, which reads no headers and bodies. */
export type ListedApproval = Omit<Approval, 'content'>;

const toListed = ({ byOperator, account, decidedWith, ...row }: Omit<ApprovalRow, 'content'>): ListedApproval => ({
  ...row,
  byOperator: byOperator === 1,
  account: JSON.parse(account),
  decidedWith: decidedWith === null ? null : JSON.parse(decidedWith),
});

const toApproval = ({ content, ...row }: ApprovalRow): Approval => ({ ...toListed(row), content });

export const insertApproval = (
  queries: Queries,
  { byOperator, account, decidedWith, ...approval }: Approval,
): Promise<number> =>
  insertRow(queries, 'approvals', {
    ...approval,
    livingTokenId: approval.tokenId,
    byOperator: byOperator ? 1 : 0,
    account: JSON.stringify(account),
    decidedWith: decidedWith && JSON.stringify(decidedWith),
  });

const OF_LIVING_TOKEN = 'living_token_id is not null';

/** An approval as people see it: not after its token has ended. */
export const getApproval = async (queries: Queries, teamId: string, id: string): Promise<Approval | undefined> => {
  const sql = `${SELECT} where team_id = $1 and id = $2 and ${OF_LIVING_TOKEN}`;
  const row = await queries.get<ApprovalRow>(sql, [teamId, id]);
  return row && toApproval(row);
};

/** An approval, even if its token has ended, so that it can be ended, too. */
export const getStoredApproval = async (
  queries: Queries,
  { teamId, id }: Pick<Approval, 'teamId' | 'id'>,
): Promise<Approval | undefined> => {
  const row = await queries.get<ApprovalRow>(`${SELECT} where team_id = $1 and id = $2`, [teamId, id]);
  return row && toApproval(row);
};

/** Which approvals to list: a team's, or those that one of its tokens has asked for. */
export type ApprovalFilter = { teamId: string; tokenId: string | null; waitingAt: number | null };

/** Lists approvals, newest first, starting before the given ID. `waitingAt`: only those that wait at that time. */
export const listApprovals = async (
  queries: Queries,
  { teamId, tokenId, waitingAt }: ApprovalFilter,
  before: string | null,
  limit: number,
): Promise<ListedApproval[]> => {
  const values: Value[] = [teamId, before ?? AFTER_IDS, limit];
  const add = (value: Value): string => `$${values.push(value)}`;
  const ofToken = tokenId === null ? '' : `and token_id = ${add(tokenId)}`;
  const waiting = waitingAt === null ? '' : `and state = 'waiting' and expires_at > ${add(waitingAt)}`;
  const sql = `${LIST} where team_id = $1 and id < $2 and ${OF_LIVING_TOKEN} ${ofToken} ${waiting} order by id desc limit $3`;
  return (await queries.all<Omit<ApprovalRow, 'content'>>(sql, values)).map(toListed);
};

/** Counts the requests that wait: of the team, and of one of its tokens. */
export const countWaitingApprovals = async (
  queries: Queries,
  { teamId, tokenId }: Pick<Approval, 'teamId' | 'tokenId'>,
  now: number,
): Promise<{ ofTeam: number; ofToken: number }> =>
  (await queries.get<{ ofTeam: number; ofToken: number }>(
    `select count(*) as "ofTeam", count(case when token_id = $2 then 1 end) as "ofToken" from approvals
      where team_id = $1 and state = 'waiting' and expires_at > $3 and ${OF_LIVING_TOKEN}`,
    [teamId, tokenId, now],
  )) ?? { ofTeam: 0, ofToken: 0 };

/** Counts the requests that a token has asked for since then, whatever became of them. */
export const countAskedSince = async (
  queries: Queries,
  { teamId, tokenId }: Pick<Approval, 'teamId' | 'tokenId'>,
  since: number,
): Promise<number> => {
  // Ids are in the order of time.
  const sql = 'select count(*) as n from approvals where team_id = $1 and token_id = $2 and id >= $3';
  const row = await queries.get<{ n: number }>(sql, [teamId, tokenId, firstIdAt(since)]);
  return Number(row?.n ?? 0);
};

type Which = Pick<Approval, 'teamId' | 'id'>;

/** Returns 0 if somebody has decided in the meantime, or if the request has expired. */
export const markApproved = (
  queries: Queries,
  { teamId, id }: Which,
  by: { userId: string | null; decidedWith: DecidedWith | null; now: number; leaseUntil: number },
): Promise<number> =>
  queries.run(
    `update approvals set state = 'sending', decided_by = $3, decided_with = $4, decided_at = $5, lease_until = $6
      where team_id = $1 and id = $2 and state = 'waiting' and expires_at > $5`,
    [teamId, id, by.userId, by.decidedWith && JSON.stringify(by.decidedWith), by.now, by.leaseUntil],
  );

/**
 * `userId`: null if nobody has decided, but the token has ended. Returns 0 if somebody has decided in the meantime, or if
 * the request has expired.
 */
export const markRefused = (
  queries: Queries,
  { teamId, id }: Which,
  { userId, now, problem = null }: { userId: string | null; now: number; problem?: string | null },
): Promise<number> =>
  queries.run(
    `update approvals set state = 'refused', decided_by = $3, decided_at = $4, ended_at = $4, problem = $5
      where team_id = $1 and id = $2 and state = 'waiting' and expires_at > $4`,
    [teamId, id, userId, now, problem],
  );

/** Ends a request whose time is over, and erases what it would have sent. Returns 0 if it no longer waits. */
export const markExpired = (queries: Queries, { teamId, id }: Which, now: number): Promise<number> =>
  queries.run(
    `update approvals set state = 'expired', content = null, ended_at = $3
      where team_id = $1 and id = $2 and state = 'waiting' and expires_at <= $3`,
    [teamId, id, now],
  );

/** Takes over a request that was approved, but whose process has done nothing with it. Returns 0 if another one has. */
export const takeOver = (
  queries: Queries,
  { teamId, id }: Which,
  { now, leaseUntil }: { now: number; leaseUntil: number },
): Promise<number> =>
  queries.run(
    `update approvals set lease_until = $4
      where team_id = $1 and id = $2 and state = 'sending' and begun_at is null and lease_until <= $3`,
    [teamId, id, now, leaseUntil],
  );

/** Writes the mark, after which the request is never sent again. Returns 0 if the mark exists, or the lease doesn't. */
export const markBegun = (
  queries: Queries,
  { teamId, id }: Which,
  { now, lease, leaseUntil }: { now: number; lease: number; leaseUntil: number },
): Promise<number> =>
  queries.run(
    `update approvals set begun_at = $3, lease_until = $5
      where team_id = $1 and id = $2 and state = 'sending' and begun_at is null and lease_until = $4`,
    [teamId, id, now, lease, leaseUntil],
  );

type Ended = { state: ApprovalState; now: number; problem?: string; status?: number; response?: string };

/** Ends a request that was approved. `begunAt`: the mark as it has to be. Returns 0 if the request has ended already. */
export const markEnded = (
  queries: Queries,
  { teamId, id, begunAt }: Which & Pick<Approval, 'begunAt'>,
  { state, now, problem, status, response }: Ended,
): Promise<number> =>
  queries.run(
    `update approvals set state = $3, status = $4, problem = $5, response = $6, ended_at = $7, lease_until = null
      where team_id = $1 and id = $2 and state = 'sending' and coalesce(begun_at, -1) = $8`,
    [teamId, id, state, status ?? null, problem ?? null, response ?? null, now, begunAt ?? -1],
  );

/** The sealed response. Null if there is none, or none any more. */
export const getResponse = async (queries: Queries, { teamId, id }: Which): Promise<string | null> => {
  const sql = 'select response from approvals where team_id = $1 and id = $2';
  return (await queries.get<{ response: string | null }>(sql, [teamId, id]))?.response ?? null;
};

/** A request that is due, since then. */
export type DueApproval = Which & Pick<Approval, 'begunAt'> & { since: number };

export type DueKind = 'expired' | 'abandoned' | 'orphaned';

/**
 * `expired`: their time is over. `abandoned`: they are approved, but their process has given up or died. `orphaned`:
 * their token has ended.
 */
const DUE: Record<DueKind, { which: string; since: string }> = {
  expired: { which: "state = 'waiting'", since: 'expires_at' },
  abandoned: { which: "state = 'sending'", since: 'lease_until' },
  orphaned: { which: "living_token_id is null and state <> 'sending'", since: 'requested_at' },
};

/** Lists requests of all teams that are due, the oldest first, starting after the given one. */
export const listDue = (
  queries: Queries,
  kind: DueKind,
  { now, after, limit }: { now: number; after: DueApproval | null; limit: number },
): Promise<DueApproval[]> => {
  const { which, since } = DUE[kind];
  return queries.all(
    `select team_id as "teamId", id, begun_at as "begunAt", ${since} as since from approvals
      where ${which} and ${since} <= $1 and (${since}, id) > ($2, $3) order by ${since}, id limit $4`,
    [now, after?.since ?? 0, after?.id ?? '', limit],
  );
};

export const eraseResponses = (queries: Queries, endedBefore: number, limit: number): Promise<number> =>
  queries.run(
    `update approvals set response = null where id in
      (select id from approvals where response is not null and ended_at < $1 order by ended_at limit $2)`,
    [endedBefore, limit],
  );

export const deleteApproval = (queries: Queries, { teamId, id }: Which): Promise<number> =>
  queries.run('delete from approvals where team_id = $1 and id = $2', [teamId, id]);

/** How many approvals one statement deletes. Each may have a large body. */
const PIECE = 20;

const deleteThose = (queries: Queries, where: string, values: Value[], pace?: () => Promise<void>) =>
  deleteInPieces(queries, { from: 'approvals', key: 'id', where, piece: PIECE }, values, pace);

export const deleteApprovalsBefore = (queries: Queries, before: number): Promise<number> =>
  deleteThose(queries, 'requested_at < $1', [before]);

export const deleteApprovalsOfTeam = (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<number> =>
  deleteThose(queries, 'team_id = $1', [teamId], pace);

/**
 * For a copy of the database, such as a backup that is restored: the original may have sent, or may still send, what was
 * approved or waits. So nothing of it is sent by the copy.
 */
export const setApprovalsApart = async (queries: Queries, now: number): Promise<void> => {
  await queries.run(`update approvals set state = 'expired', content = null, ended_at = $1 where state = 'waiting'`, [
    now,
  ]);
  await queries.run(
    `update approvals set state = 'unclear', lease_until = null, ended_at = $1 where state = 'sending'`,
    [now],
  );
};
