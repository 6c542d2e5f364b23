import { defineRow, type Queries } from '../../platform/index.ts';
import { counts } from '../accounts/simulated-account-store.ts';
import type { CallRow } from './call-store.ts';

const CALL = defineRow({ teamId: 'text', id: 'text', fromHash: 'text', startedAt: 'bigint' });

type Call = Pick<CallRow, 'teamId' | 'id' | 'fromHash' | 'startedAt'>;

const earlier = (calls: string): string =>
  `(select o.id from calls o where o.team_id = rows.team_id and ${calls} and ${counts('o')} limit 1)`;

/** Picks the inbound calls that are the first with their caller, as far back as calls are stored. */
export const listFirstCalls = async (queries: Queries, calls: readonly Call[]): Promise<Set<string>> => {
  if (calls.length === 0) return new Set();
  const first = await queries.allFrom<{ id: string }>(
    CALL.toTable(calls.map(({ teamId, id, fromHash, startedAt }) => ({ teamId, id, fromHash, startedAt }))),
    `select rows.id from rows where rows.from_hash is not null
      and ${earlier('o.from_hash = rows.from_hash and (o.started_at, o.id) < (rows.started_at, rows.id)')} is null
      and ${earlier("o.to_hash = rows.from_hash and o.direction = 'outbound' and o.started_at < rows.started_at")} is null`,
  );
  return new Set(first.map(({ id }) => id));
};
