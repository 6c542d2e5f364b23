import { AFTER_IDS, firstIdAt, insertRow, type Queries, selectFields, type Value } from '../../platform/index.ts';
import type { Approval, ApprovalState, DecidedWith } from './approval.ts';

type ApprovalRow = Omit<Approval, 'byOperator' | 'account' | 'decidedWith'> & {
  byOperator: number;
  account: string;
  decidedWith: string | null;
};

const FIELDS = [
  ...['id', 'teamId', 'tokenId', 'tokenName', 'userId', 'byOperator', 'provider', 'connection', 'account', 'host'],
  ...['origin', 'target', 'bytes', 'state', 'requestedAt', 'expiresAt', 'decidedBy', 'decidedWith', 'decidedAt'],
  ...['leaseUntil', 'begunAt', 'endedAt', 'status', 'problem'],
] as const;
const SELECT = `select ${selectFields(FIELDS)} from approvals`;

const toApproval = ({ byOperator, account, decidedWith, ...row }: ApprovalRow): Approval => ({
  ...row,
  byOperator: byOperator === 1,
  account: JSON.parse(account),
  decidedWith: decidedWith === null ? null : JSON.parse(decidedWith),
});

/** `content` is sealed. */
export const insertApproval = async (
  queries: Queries,
  { byOperator, account, decidedWith, ...approval }: Approval,
  content: string,
): Promise<void> => {
  const { teamId, id, tokenId } = approval;
  await queries.run(
    `insert into approval_tokens (id, team_id, living_id) values ($1, $2, $1) on conflict (id) do nothing`,
    [tokenId, teamId],
  );
  await insertRow(queries, 'approvals', {
    ...approval,
    byOperator: byOperator ? 1 : 0,
    account: JSON.stringify(account),
    decidedWith: decidedWith && JSON.stringify(decidedWith),
  });
  await insertRow(queries, 'approval_contents', { teamId, approvalId: id, content });
};

/** SQL: the token has not ended. Nobody sees its approvals after that. */
const OF_LIVING_TOKEN = `exists (select 1 from approval_tokens t
  where t.id = approvals.token_id and t.living_id is not null)`;

type Which = Pick<Approval, 'teamId' | 'id'>;

const getWhere = async (queries: Queries, { teamId, id }: Which, condition: string): Promise<Approval | undefined> => {
  const sql = `${SELECT} where team_id = $1 and id = $2 ${condition}`;
  const row = await queries.get<ApprovalRow>(sql, [teamId, id]);
  return row && toApproval(row);
};

/** An approval as people see it: not after its token has ended. */
export const getApproval = (queries: Queries, which: Which): Promise<Approval | undefined> =>
  getWhere(queries, which, `and ${OF_LIVING_TOKEN}`);

/** An approval, even if its token has ended, so that it can be ended, too. */
export const getStoredApproval = (queries: Queries, which: Which): Promise<Approval | undefined> =>
  getWhere(queries, which, '');

/** Which approvals to list: a team's, or those that one of its tokens has asked for. */
export type ApprovalFilter = { teamId: string; tokenId: string | null; waitingAt: number | null };

/**
 * SQL: those that wait. They're found before anything else is, because a team may have very many that don't. Their time
 * isn't compared here: PostgreSQL would look for it among those of all teams.
 */
const WAITS = `id in (select w.id from approvals w where w.team_id = $1 and w.state = 'waiting')`;

/** Lists approvals, newest first, starting before the given ID. `waitingAt`: only those that wait at that time. */
export const listApprovals = async (
  queries: Queries,
  { teamId, tokenId, waitingAt }: ApprovalFilter,
  before: string | null,
  limit: number,
): Promise<Approval[]> => {
  const values: Value[] = [teamId, before ?? AFTER_IDS, limit];
  const add = (value: Value): string => `$${values.push(value)}`;
  const conditions = [
    OF_LIVING_TOKEN,
    ...(tokenId === null ? [] : [`token_id = ${add(tokenId)}`]),
    ...(waitingAt === null ? [] : [WAITS, `expires_at > ${add(waitingAt)}`]),
  ];
  const sql = `${SELECT} where team_id = $1 and id < $2 and ${conditions.join(' and ')} order by id desc limit $3`;
  return (await queries.all<ApprovalRow>(sql, values)).map(toApproval);
};

/** Counts the requests that wait: of the team, and of one of its tokens. */
export const countWaitingApprovals = async (
  queries: Queries,
  { teamId, tokenId }: Pick<Approval, 'teamId' | 'tokenId'>,
  now: number,
): Promise<{ ofTeam: number; ofToken: number }> =>
  (await queries.get<{ ofTeam: number; ofToken: number }>(
    `select count(case when expires_at > $3 then 1 end) as "ofTeam",
        count(case when expires_at > $3 and token_id = $2 then 1 end) as "ofToken"
      from approvals where team_id = $1 and state = 'waiting' and ${OF_LIVING_TOKEN}`,
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

/** Ends a request whose time is over. Returns 0 if it no longer waits. */
export const markExpired = (queries: Queries, { teamId, id }: Which, now: number): Promise<number> =>
  queries.run(
    `update approvals set state = 'expired', ended_at = $3
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

type Ended = { state: ApprovalState; now: number; problem?: string; status?: number };

/** Ends a request that was approved. `begunAt`: the mark as it has to be. Returns 0 if the request has ended already. */
export const markEnded = (
  queries: Queries,
  { teamId, id, begunAt }: Which & Pick<Approval, 'begunAt'>,
  { state, now, problem, status }: Ended,
): Promise<number> =>
  queries.run(
    `update approvals set state = $3, status = $4, problem = $5, ended_at = $6, lease_until = null
      where team_id = $1 and id = $2 and state = 'sending' and coalesce(begun_at, -1) = $7`,
    [teamId, id, state, status ?? null, problem ?? null, now, begunAt ?? -1],
  );
