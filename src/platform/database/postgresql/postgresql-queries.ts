import type pg from 'pg';
import type { Queries } from '../database.ts';
import { postgresqlRowTable, type RowTable } from '../row-table.ts';
import { type Asked, askOnce, type createAsk } from './postgresql-statements.ts';

/**
 * Has the statement planned each time, for the current size of the tables. A plan that was cached while a table was
 * small would read the whole table for every batch until the next ANALYZE.
 */
const askFrom = (client: Asked, table: RowTable, text: string): Promise<pg.QueryResult> =>
  askOnce(client, `${postgresqlRowTable(table)} ${text}`, [JSON.stringify(table.rows)]);

export const postgresqlQueries = (client: Asked, ask: ReturnType<typeof createAsk>): Queries => ({
  get: async (text, values) => (await ask(client, text, values)).rows[0],
  all: async (text, values) => (await ask(client, text, values)).rows,
  run: async (text, values) => (await ask(client, text, values)).rowCount ?? 0,
  allFrom: async (table, text) => (await askFrom(client, table, text)).rows,
  runFrom: async (table, text) => (await askFrom(client, table, text)).rowCount ?? 0,
});
