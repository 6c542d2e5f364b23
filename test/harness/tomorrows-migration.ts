import { type Migration, readSchema, type Table } from '../../src/platform/index.ts';

/** A table that every change writes to. */
const REMADE = 'audit_events';

const remake = ({ name, columns }: Table): string => {
  const names = Object.keys(columns).join(', ');
  const defined = Object.entries(columns).map(([column, type]) =>
    column === 'id' ? 'id text primary key' : `${column} ${type}`,
  );
  return `alter table ${name} rename to ${name}_before;
create table ${name} (${defined.join(', ')});
insert into ${name} (${names}) select ${names} from ${name}_before;
drop table ${name}_before;`;
};

/**
 * A release that adds what it may add: columns of both kinds to every table, an index on each, and a table. It also
 * makes a table again.
 */
export const tomorrowsMigration = (): Migration => {
  const schema = readSchema();
  const columns = schema.map(
    ({ name }) => `alter table ${name} add column tomorrows_text text;
alter table ${name} add column tomorrows_number bigint not null default 7;
create index ${name}_tomorrow on ${name} (tomorrows_number);`,
  );
  const remade = schema.filter(({ name }) => name === REMADE).map(remake);
  const text = ['-- room: platform', ...remade, ...columns, 'create table tomorrows (id text primary key);'].join('\n');
  return { id: '9999-platform-tomorrow', text, digest: 'of-tomorrow' };
};
