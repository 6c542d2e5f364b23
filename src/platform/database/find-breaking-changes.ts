import type { Migration } from './migration-state.ts';

const CREATED = /^create table (\w+)/;

/** Statements, without comments and with single spaces. No text in a migration contains a semicolon. */
const listStatements = (text: string): string[] =>
  text
    .replace(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim().replace(/\s+/g, ' ').toLowerCase())
    .filter((statement) => statement !== '');

const isAdditive = (statement: string, created: ReadonlySet<string>): boolean => {
  if (CREATED.test(statement) || /^insert into /.test(statement)) return true;
  // Values of a column that is new mean nothing to an older version. Whether it's only that, a person has to say.
  if (/^update \w+ set /.test(statement)) return true;
  if (/^create index /.test(statement)) return true;
  // Rows that an older version writes could violate it.
  const unique = /^create unique index \w+ on (\w+)/.exec(statement)?.[1];
  if (unique !== undefined) return created.has(unique);
  const column = /^alter table (\w+) add column (.+)$/.exec(statement);
  if (column) return !/\bnot null\b/.test(column[2] ?? '') || /\bdefault\b/.test(column[2] ?? '');
  // What this migration itself has made.
  const dropped = /^(?:drop table|alter table|delete from) (\w+)/.exec(statement)?.[1];
  return dropped !== undefined && created.has(dropped);
};

/**
 * What an older version that is still running, or one that is started again, may not survive: anything but new tables,
 * new indexes that aren't unique, and new columns that may be left out. Empty if it's safe.
 */
export const findBreakingChanges = ({ text }: Pick<Migration, 'text'>): string[] => {
  const statements = listStatements(text);
  const created = new Set(statements.map((statement) => CREATED.exec(statement)?.[1] ?? ''));
  return statements.filter((statement) => !isAdditive(statement, created)).map((statement) => statement.slice(0, 120));
};
