import { type Migration, readSchema } from '../../src/platform/index.ts';

/** A release that adds what it may add: columns of both kinds to every table, an index on each, and a table. */
export const tomorrowsMigration = (): Migration => {
  const columns = readSchema().map(
    ({ name }) => `alter table ${name} add column tomorrows_text text;
alter table ${name} add column tomorrows_number bigint not null default 7;
create index ${name}_tomorrow on ${name} (tomorrows_number);`,
  );
  const text = ['-- room: platform', ...columns, 'create table tomorrows (id text primary key);'].join('\n');
  return { id: '9999-platform-tomorrow', text, digest: 'of-tomorrow' };
};
