import type { Queries, Value } from '../database.ts';
import { type RowTable, sqliteRowTable } from '../row-table.ts';
import type { SqliteStatements } from './sqlite-statements.ts';

const withRows = (table: RowTable, text: string): string => `${sqliteRowTable(table)} ${text}`;
const rowValues = ({ rows }: RowTable): Value[] => [JSON.stringify(rows)];

type Ask = <Result>(text: string, question: (statements: SqliteStatements) => Result) => Promise<Result>;

export const queriesThrough = (ask: Ask): Queries => ({
  get: (text, values) => ask(text, (statements) => statements.get(text, values)),
  all: (text, values) => ask(text, (statements) => statements.all(text, values)),
  run: (text, values) => ask(text, (statements) => statements.run(text, values)),
  allFrom: (table, text) => ask(text, (statements) => statements.all(withRows(table, text), rowValues(table))),
  runFrom: (table, text) => ask(text, (statements) => statements.run(withRows(table, text), rowValues(table))),
});
