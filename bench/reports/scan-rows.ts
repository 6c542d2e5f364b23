import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { SPAN, WEEK_MS } from './made-calls.ts';
import type { Place } from './open-store.ts';

export const WHOLE_ROWS = '*';
/** The columns that a report reads, of calls in its week and the week before. */
export const READ_COLUMNS = `id, direction, outcome, from_hash, to_hash, started_at, answered_at, ended_at, talk_seconds,
  marked_returned_at, updated_at`;

/**
 * Reads the same rows in the simplest way: with the driver alone, and one prepared statement that uses the index. The
 * function that it returns reads a team's rows, and returns how many there are.
 */
export const openScanner = async (
  { directory, databaseUrl }: Place,
  columns: string,
  cleanUp: AsyncDisposableStack,
): Promise<(teamId: string) => Promise<number>> => {
  const text = `select ${columns} from calls where team_id = $1 and started_at >= $2 and started_at < $3`;
  const [from, until] = [SPAN.startsAt - WEEK_MS, SPAN.endsAt];
  if (databaseUrl === null) {
    const database = new DatabaseSync(join(directory, 'patchbay.db'), { readOnly: true });
    cleanUp.defer(() => database.close());
    const statement = database.prepare(text.replace(/\$(\d)/g, '?$1'));
    return async (teamId) => statement.all(teamId, BigInt(from), BigInt(until)).length;
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  cleanUp.defer(() => client.end());
  return async (teamId) => (await client.query({ name: 'scan', text, values: [teamId, from, until] })).rows.length;
};
