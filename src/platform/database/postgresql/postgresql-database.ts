import pg from 'pg';
import { currentWork, isOwnWork } from '../../turns/owner.ts';
import { createTurns } from '../../turns/turns.ts';
import {
  type Database,
  DatabaseUnavailable,
  findUndefined,
  type InsertOutcome,
  type InsertRow,
  type InsertTarget,
  type Queries,
  type Transaction,
  type Value,
} from '../database.ts';
import { createTransactionScope } from '../transaction-scope.ts';
import { diagnosePostgresql } from './diagnose-postgresql.ts';
import { CONNECT_TIMEOUT_MS, connectionOptions, type PostgresqlOptions } from './postgresql-options.ts';
import { postgresqlQueries } from './postgresql-queries.ts';
import { createPostgresqlReader } from './postgresql-reader.ts';
import { type Asked, createAsk, withTimeLimit } from './postgresql-statements.ts';
import { translatePostgresqlError } from './translate-postgresql-error.ts';

const SCRIPT_TIMEOUT_MS = 3_600_000;

/** Inserts rows in the order of their IDs. Two processes that insert the same rows then can't deadlock. */
const insertText = ({ table, columns, id, onConflict }: InsertTarget): string => {
  const names = Object.keys(columns).join(', ');
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  const conflict = onConflict === 'skip' ? ' on conflict do nothing' : '';
  return `insert into ${table} (${names}) select ${names} from unnest(${arrays.join(', ')}) with ordinality as given (${names}, place)
    order by ${id}, place${conflict} returning ${id} as id`;
};

export const openPostgresqlDatabase = (options: PostgresqlOptions, onError: (error: Error) => void): Database => {
  const pool = new pg.Pool({ ...connectionOptions(options), max: options.poolSize, idleTimeoutMillis: 30_000 });
  // An idle connection emits an error when the server closes it. The pool has already dropped the connection.
  pool.on('error', onError);
  // A connection that is lost while in use emits the error itself. Listen from the start: the server may close the
  // connection in the same packet as the last result, before the connection is back in the pool.
  pool.on('connect', (client) => client.on('error', onError));
  const reader = createPostgresqlReader(options, onError);
  const ask = createAsk();
  const scope = createTransactionScope();
  const refuse = () => new DatabaseUnavailable('No connection to the database became free in time.');
  /** Lets teams take turns. The pool itself is first come, first served, so one team could take all connections. */
  const turns = createTurns({ atOnce: options.poolSize, patienceMs: CONNECT_TIMEOUT_MS, refuse });
  /**
   * Limits a team to a third of the connections. Otherwise, slow statements or transactions that wait for each other's
   * locks could take them all. A team's other statements wait here, without a connection.
   */
  const turnsOfTeams = createTurns({
    perOwner: Math.ceil(options.poolSize / 3),
    patienceMs: options.statementTimeoutMs,
    refuse,
  });

  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    scope.refuseInside();
    const whose = currentWork();
    const run = () => turns.run(whose, work);
    return isOwnWork() ? run() : turnsOfTeams.run(whose, run);
  };

  const queriesOn = (client: Asked): Queries => postgresqlQueries(client, ask);

  const borrow = async (): Promise<pg.PoolClient> => {
    try {
      return await pool.connect();
    } catch (error) {
      throw translatePostgresqlError(error);
    }
  };

  const transact: Database['transaction'] = async (work) => {
    const client = await borrow();
    const effects: (() => void)[] = [];
    const tx: Transaction = {
      engine: 'postgresql',
      ...queriesOn(client),
      script: async (text) => void (await client.query(withTimeLimit({ text }, SCRIPT_TIMEOUT_MS))),
      afterCommit: (effect) => effects.push(effect),
    };
    let broken: Error | undefined;
    try {
      await client.query('begin');
      const result = await scope.enter(() => work(tx));
      // If a statement failed, the transaction is over even if `work` continued, and COMMIT rolls back silently.
      const { command } = await client.query('commit');
      if (command !== 'COMMIT') throw new Error('The transaction was rolled back because a statement in it failed.');
      for (const effect of effects) effect();
      return result;
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => {
        broken = failure;
      });
      throw translatePostgresqlError(error);
    } finally {
      client.release(broken);
    }
  };

  const query = ((config: pg.QueryConfig) => inTurn(() => pool.query(config))) as pg.ClientBase['query'];

  /** Inserts all rows in one statement. If that fails, tries each half, until only the bad row fails. */
  const insertTogether = async (into: InsertTarget, rows: readonly InsertRow[]): Promise<InsertOutcome[]> => {
    const names = Object.keys(into.columns);
    const idAt = names.indexOf(into.id);
    const arrays = names.map((_, column) => rows.map((row) => row[column]));
    try {
      const { rows: inserted } = await ask({ query }, insertText(into), arrays as unknown as Value[]);
      const ids = new Set(inserted.map((row: { id: Value }) => row.id));
      // If two rows have the same ID, the first was inserted.
      return rows.map((row) => (ids.delete(row[idAt] ?? null) ? 'inserted' : 'skipped'));
    } catch (error) {
      if (error instanceof DatabaseUnavailable || !(error instanceof Error)) throw error;
      if (rows.length === 1) return [error];
      const half = Math.ceil(rows.length / 2);
      const first = await insertTogether(into, rows.slice(0, half));
      return [...first, ...(await insertTogether(into, rows.slice(half)))];
    }
  };

  const insertRows = async (into: InsertTarget, rows: readonly InsertRow[]): Promise<InsertOutcome[]> => {
    const flaws = rows.map(findUndefined);
    const outcomes = await insertTogether(
      into,
      rows.filter((_, index) => !flaws[index]),
    );
    return flaws.map((flaw) => flaw ?? outcomes.shift() ?? 'skipped');
  };

  return {
    engine: 'postgresql',
    ...queriesOn({ query }),
    transaction: (work) => inTurn(() => transact(work)),
    async scan(text, values) {
      scope.refuseInside();
      return reader.scan(text, values);
    },
    insertRows,
    diagnose: (timeoutMs) =>
      diagnosePostgresql(connectionOptions({ url: options.url, statementTimeoutMs: timeoutMs }), {
        size: pool.totalCount,
        idle: pool.idleCount,
        waiting: turns.waiting,
      }),
    close: async () => void (await Promise.all([pool.end(), reader.close()])),
  };
};
