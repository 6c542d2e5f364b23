-- room: reports
-- A run may also be asked for by an admin on a page. Made anew, since SQLite cannot change a check.
create table report_runs_next (
  id text primary key,
  begun_at bigint not null,
  asked_by text not null check (asked_by in ('cron', 'service', 'command_line', 'person'))
);
insert into report_runs_next (id, begun_at, asked_by) select id, begun_at, asked_by from report_runs;
drop table report_runs;
alter table report_runs_next rename to report_runs;
create index report_runs_begun on report_runs (begun_at);
