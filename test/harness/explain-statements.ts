import { postgresqlRowTable, type RowTable, sqliteRowTable } from '../../src/platform/database/row-table.ts';
import type { Database, Queries, Value } from '../../src/platform/index.ts';

type Statement = { text: string; values: readonly Value[]; table?: RowTable };

/** The same database, which remembers every statement. */
export const rememberStatements = (database: Database) => {
  const statements: Statement[] = [];
  const remember = <Result>(statement: Statement, ask: () => Result): Result => {
    statements.push(statement);
    return ask();
  };
  const watch = <Inner extends Queries>(queries: Inner): Inner => ({
    ...queries,
    get: (text, values = []) => remember({ text, values }, () => queries.get(text, values)),
    all: (text, values = []) => remember({ text, values }, () => queries.all(text, values)),
    run: (text, values = []) => remember({ text, values }, () => queries.run(text, values)),
    allFrom: (table, text) => remember({ text, values: [], table }, () => queries.allFrom(table, text)),
    runFrom: (table, text) => remember({ text, values: [], table }, () => queries.runFrom(table, text)),
  });
  const transaction: Database['transaction'] = (work) => database.transaction((tx) => work(watch(tx)));
  return { database: { ...watch(database), transaction }, statements };
};

/** With the rows that it reads as a table. */
const complete = ({ engine }: Pick<Database, 'engine'>, { text, values, table }: Statement): [string, Value[]] => {
  if (!table) return [text, [...values]];
  const rows = engine === 'sqlite' ? sqliteRowTable(table) : postgresqlRowTable(table);
  return [`${rows} ${text}`, [JSON.stringify(table.rows)]];
};

const explainOnSqlite = async (database: Database, statement: Statement): Promise<string[]> => {
  const [text, values] = complete(database, statement);
  const rows = await database.all<{ detail: string }>(`explain query plan ${text}`, values);
  return rows.map(({ detail }) => detail);
};

const findScansOnSqlite = async (database: Database, statement: Statement): Promise<string[]> =>
  (await explainOnSqlite(database, statement)).filter((line) => /^SCAN (?!rows|json_each|CONSTANT|\()/.test(line));

type Node = {
  Plans?: Node[];
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Filter?: string;
};
const flatten = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(flatten)];

const explainOnPostgresql = (database: Database, statement: Statement): Promise<Node[]> =>
  database.transaction(async (tx) => {
    // In a test, tables are so small that it would read them as a whole even if there is an index.
    for (const way of ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'])
      await tx.script(`set local enable_${way} = off`);
    const [text, values] = complete(database, statement);
    const rows = await tx.all<{ 'QUERY PLAN': [{ Plan: Node }] }>(`explain (format json) ${text}`, values);
    return rows.flatMap((row) => flatten(row['QUERY PLAN'][0].Plan));
  });

/** A whole index counts, too, if it's read to find something. */
const isScan = (node: Node): boolean =>
  node['Relation Name'] !== undefined &&
  (node['Node Type'] === 'Seq Scan' || (node['Index Cond'] === undefined && node.Filter !== undefined));

const findScansOnPostgresql = async (database: Database, statement: Statement): Promise<string[]> =>
  (await explainOnPostgresql(database, statement))
    .filter(isScan)
    .map((node) => `${node['Node Type']} ${node['Relation Name']} ${node.Filter}`);

/** Which tables or indexes it would read from one end to the other. */
export const findScans = (database: Database, statement: Statement): Promise<string[]> =>
  database.engine === 'sqlite' ? findScansOnSqlite(database, statement) : findScansOnPostgresql(database, statement);

/** Which index it would use for what, in the words of the engine. */
export const findSearches = async (database: Database, statement: Statement): Promise<string[]> => {
  if (database.engine === 'sqlite') return explainOnSqlite(database, statement);
  const nodes = await explainOnPostgresql(database, statement);
  return nodes.map((node) => `${node['Index Name'] ?? node['Node Type']} ${node['Index Cond'] ?? ''}`);
};
