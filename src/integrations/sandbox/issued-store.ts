import { deleteInPieces, type Queries } from '../../platform/index.ts';

/** A token or a grant of the sandbox. `grantId` is the grant that a token belongs to. */
type Issued = {
  digest: string;
  kind: string;
  grantId: string | null;
  /** The content as JSON. */
  payload: string;
  createdAt: number;
  expiresAt: number;
};

export const putIssued = (queries: Queries, issued: Issued): Promise<number> => {
  const { digest, kind, grantId, payload, createdAt, expiresAt } = issued;
  return queries.run(
    `insert into sandbox_issued (digest, kind, grant_id, payload, created_at, expires_at) values ($1, $2, $3, $4, $5, $6)
      on conflict (digest) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
    [digest, kind, grantId, payload, createdAt, expiresAt],
  );
};

export const getIssued = (queries: Queries, digest: string, now: number) =>
  queries.get<{ payload: string; consumedAt: number | null }>(
    `select payload, consumed_at as "consumedAt" from sandbox_issued where digest = $1 and expires_at > $2`,
    [digest, now],
  );

/** Marks a token as used. Returns 0 if another request has already done so. */
export const consumeIssued = (queries: Queries, digest: string, at: number): Promise<number> =>
  queries.run('update sandbox_issued set consumed_at = $2 where digest = $1 and consumed_at is null', [digest, at]);

export const deleteIssued = (queries: Queries, digest: string): Promise<number> =>
  queries.run('delete from sandbox_issued where digest = $1', [digest]);

export const deleteIssuedFor = (queries: Queries, kind: string, grantId: string): Promise<number> =>
  queries.run('delete from sandbox_issued where grant_id = $1 and kind = $2', [grantId, kind]);

/** Deletes rows of a kind beyond the number to keep: used ones first, then the oldest. */
export const deleteOldIssued = (queries: Queries, kind: string, kept: number): Promise<number> =>
  queries.run(
    `delete from sandbox_issued where digest in (select digest from sandbox_issued where kind = $1
      order by case when consumed_at is null then 0 else 1 end, created_at desc, digest limit 1000 offset $2)`,
    [kind, kept],
  );

export const deleteExpiredIssued = (queries: Queries, now: number): Promise<number> =>
  deleteInPieces(queries, { from: 'sandbox_issued', key: 'digest', where: 'expires_at <= $1' }, [now]);
