-- room: reports
-- What was told of a team's week. The figures are sealed: they name who called. Of one team and week there is one row
-- for each revision; data that came late makes the next one. `as_of` is when it was looked who still waits.
create table reports (
  id text primary key,
  team_id text not null references teams (id),
  week text not null,
  revision bigint not null,
  time_zone text not null,
  starts_at bigint not null,
  ends_at bigint not null,
  as_of bigint not null,
  figures text not null,
  content_hash text not null,
  created_at bigint not null
);
create unique index reports_week on reports (team_id, week, revision);

create table report_runs (
  id text primary key,
  begun_at bigint not null,
  asked_by text not null check (asked_by in ('cron', 'service', 'command_line'))
);
create index report_runs_begun on report_runs (begun_at);
