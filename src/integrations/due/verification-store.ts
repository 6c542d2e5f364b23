import type { Queries } from '../../platform/index.ts';
import type { Connection, ConnectionKey } from '../connections/connection.ts';
import { listDueAfter, listDueAt } from './due-store.ts';
import { MOST_WAIT_MS } from './verification.ts';

type AsRead = Pick<Connection, 'teamId' | 'id' | 'generation'>;

/**
 * Lists a provider's connections that are due for verification, in all teams. Includes those whose due time is
 * impossibly far ahead, because it was written while the clock was ahead.
 */
export const listUnverified = async (
  queries: Queries,
  { provider, now, limit }: { provider: string; now: number; limit: number },
): Promise<ConnectionKey[]> => {
  const due = await listDueAt(queries, 'verify_due_at', { provider, now, limit });
  if (due.length === limit) return due;
  const after = now + MOST_WAIT_MS;
  return [...due, ...(await listDueAfter(queries, 'verify_due_at', { provider, after, limit: limit - due.length }))];
};

/**
 * Postpones the next verification, so that no other process verifies the same connection now. Returns 0 if another
 * process did so first, or if the connection has changed.
 */
export const claimVerification = (
  queries: Queries,
  { teamId, id, generation, verifyDueAt }: AsRead & Pick<Connection, 'verifyDueAt'>,
  until: number,
): Promise<number> =>
  queries.run(
    `update connections set verify_due_at = $5
      where team_id = $1 and id = $2 and generation = $3 and verify_due_at = $4`,
    [teamId, id, generation, verifyDueAt, until],
  );

/** Makes a connection due for verification because the provider has just refused it, unless that happened a moment ago. */
export const makeUnverified = (
  queries: Queries,
  { teamId, id, generation }: AsRead,
  { now, notSince }: { now: number; notSince: number },
): Promise<number> =>
  queries.run(
    `update connections set verify_due_at = $4, renewed_at = $4 where team_id = $1 and id = $2 and generation = $3
      and verify_due_at > $4 and (renewed_at is null or renewed_at <= $5 or renewed_at > $4)`,
    [teamId, id, generation, now, notSince],
  );

/** Notes that a token was handed out, at most once per `everyMs`. Returns 0 if that was noted already. */
export const noteHandOut = (
  queries: Queries,
  { teamId, id }: Pick<Connection, 'teamId' | 'id'>,
  { now, everyMs }: { now: number; everyMs: number },
): Promise<number> =>
  queries.run(
    `update connections set handed_out_at = $3 where team_id = $1 and id = $2
      and (handed_out_at is null or handed_out_at <= $4 or handed_out_at > $3)`,
    [teamId, id, now, now - everyMs],
  );
