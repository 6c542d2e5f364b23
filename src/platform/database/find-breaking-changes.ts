import type { Migration } from './migration-state.ts';

const CREATED = /^create table (\w+)/;
const RENAMED = /^alter table (\w+) rename to (\w+)$/;

/**
 * Splits a migration into statements, without comments and with single spaces. String literals in migrations never
 * contain a semicolon.
 */
const listStatements = (text: string): string[] =>
  text
    .replace(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim().replace(/\s+/g, ' ').toLowerCase())
    .filter((statement) => statement !== '');

const isAdditive = (statement: string, created: ReadonlySet<string>): boolean => {
  if (CREATED.test(statement) || /^insert into /.test(statement)) return true;
  // An update is fine if it only fills a new column, which an older version ignores. A reviewer has to check that.
  if (/^update \w+ set /.test(statement)) return true;
  if (/^create index /.test(statement)) return true;
  // Rows that an older version writes could violate a unique index, unless the table is new.
  const unique = /^create unique index \w+ on (\w+)/.exec(statement)?.[1];
  if (unique !== undefined) return created.has(unique);
  const column = /^alter table (\w+) add column (.+)$/.exec(statement);
  if (column) return !/\bnot null\b/.test(column[2] ?? '') || /\bdefault\b/.test(column[2] ?? '');
  // A migration may drop or change a table that it created itself.
  const dropped = /^(?:drop table|alter table|delete from) (\w+)/.exec(statement)?.[1];
  return dropped !== undefined && created.has(dropped);
};

/**
 * Finds tables that a migration makes again: it renames them, creates them under the same name, copies every row, and
 * drops the renamed ones. An older version sees the same table if its columns are the same. A test checks those.
 */
export const findRemade = ({
  text,
}: Pick<Migration, 'text'>): { table: string; before: string; columns: string[] }[] => {
  const statements = listStatements(text);
  return statements.flatMap((statement) => {
    const [, table = '', before = ''] = RENAMED.exec(statement) ?? [];
    const copied = new RegExp(`^insert into ${table} \\((.+)\\) select \\1 from ${before}$`);
    const columns = statements.map((one) => copied.exec(one)?.[1]).find((found) => found !== undefined);
    return columns === undefined ? [] : [{ table, before, columns: columns.split(', ') }];
  });
};

/**
 * Lists the statements that could break an older version, which may still be running or be started again. Safe
 * statements are new tables, new indexes that aren't unique, and new columns that may be left out.
 */
export const findBreakingChanges = ({ text }: Pick<Migration, 'text'>): string[] => {
  const statements = listStatements(text);
  const created = new Set(statements.map((statement) => CREATED.exec(statement)?.[1] ?? ''));
  for (const { table, before } of findRemade({ text })) if (created.has(table)) created.add(before);
  return statements.filter((statement) => !isAdditive(statement, created)).map((statement) => statement.slice(0, 120));
};
