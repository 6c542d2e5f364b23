import { deleteInPieces, type Queries } from '../platform/index.ts';

/**
 * What an OAuth server of ours has issued or keeps. Each server has a table of its own, in its room. All have the same
 * columns.
 */
export type IssuedTable = 'sandbox_issued' | 'agent_issued';

/** How many rows are deleted at once. They are scattered all over the file, because their keys are digests. */
const PIECE = 50;

/** `grantId` is the grant that a code or a token belongs to. */
type Issued = {
  digest: string;
  kind: string;
  grantId: string | null;
  /** The content as JSON. */
  payload: string;
  createdAt: number;
  expiresAt: number;
};

export const putIssued = (queries: Queries, table: IssuedTable, issued: Issued): Promise<number> => {
  const { digest, kind, grantId, payload, createdAt, expiresAt } = issued;
  return queries.run(
    `insert into ${table} (digest, kind, grant_id, payload, created_at, expires_at) values ($1, $2, $3, $4, $5, $6)
      on conflict (digest) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
    [digest, kind, grantId, payload, createdAt, expiresAt],
  );
};

export const getIssued = (queries: Queries, table: IssuedTable, digest: string, now: number) =>
  queries.get<{ payload: string; grantId: string | null; consumedAt: number | null }>(
    `select payload, grant_id as "grantId", consumed_at as "consumedAt" from ${table}
      where digest = $1 and expires_at > $2`,
    [digest, now],
  );

/** Marks something as used. Returns 0 if another request did so before `usedSince`. */
export const consumeIssued = (
  queries: Queries,
  table: IssuedTable,
  digest: string,
  { at, usedSince }: { at: number; usedSince: number },
): Promise<number> =>
  queries.run(
    `update ${table} set consumed_at = coalesce(consumed_at, cast($2 as bigint))
      where digest = $1 and (consumed_at is null or consumed_at > $3)`,
    [digest, at, usedSince],
  );

export const deleteIssued = (queries: Queries, table: IssuedTable, digest: string): Promise<number> =>
  queries.run(`delete from ${table} where digest = $1`, [digest]);

export const deleteIssuedFor = (queries: Queries, table: IssuedTable, kind: string, grantId: string): Promise<number> =>
  queries.run(`delete from ${table} where grant_id = $1 and kind = $2`, [grantId, kind]);

/**
 * Deletes what was used for a grant, except for the newest rows of a kind. It's sorted by an expression, because SQLite
 * would otherwise read all rows of the kind in the order of their index, and not only those of the grant.
 */
export const deleteUsedIssued = (
  queries: Queries,
  table: IssuedTable,
  { kind, grantId, kept }: { kind: string; grantId: string; kept: number },
): Promise<number> =>
  queries.run(
    `delete from ${table} where digest in (select digest from ${table} where grant_id = $1 and kind = $2
      and consumed_at is not null order by created_at + 0 desc limit 1000 offset $3)`,
    [grantId, kind, kept],
  );

/** Deletes rows of a kind beyond the number to keep: used ones first, then the oldest. */
export const deleteOldIssued = (queries: Queries, table: IssuedTable, kind: string, kept: number): Promise<number> =>
  queries.run(
    `delete from ${table} where digest in (select digest from ${table} where kind = $1
      order by case when consumed_at is null then 0 else 1 end, created_at desc, digest limit 1000 offset $2)`,
    [kind, kept],
  );

/** Deletes rows of a kind that is never used up beyond the number to keep: the oldest. Awaits `pace` after each piece. */
export const deleteOldestIssued = async (
  queries: Queries,
  table: IssuedTable,
  kind: string,
  kept: number,
  pace: () => Promise<void>,
): Promise<void> => {
  const sql = `select count(*) as n from ${table} where kind = $1`;
  const { n: stored } = (await queries.get<{ n: number }>(sql, [kind])) ?? { n: 0 };
  for (let left = stored - kept; left > 0; left -= PIECE) {
    await queries.run(
      `delete from ${table} where digest in (
        select digest from ${table} where kind = $1 order by created_at limit $2)`,
      [kind, Math.min(left, PIECE)],
    );
    await pace();
  }
};

export const deleteExpiredIssued = (
  queries: Queries,
  table: IssuedTable,
  now: number,
  pace?: () => Promise<void>,
): Promise<number> =>
  deleteInPieces(
    queries,
    { from: table, key: 'digest', where: 'expires_at <= $1', along: 'expires_at', piece: PIECE },
    [now],
    pace,
  );
