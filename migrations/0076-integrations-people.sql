-- room: integrations
-- What a team has turned on for a connection: to look up callers, and to log calls. Each begins at a time, and after a
-- position in the log of events. Then when callers were last found, not found, or found several times, and what went
-- wrong last. `paused_until` spares a provider that is busy or away.
create table connection_people (
  connection_id text primary key references connections (id) on delete cascade,
  team_id text not null references teams (id),
  provider text not null,
  lookup_since bigint,
  lookup_after bigint,
  log_since bigint,
  log_after bigint,
  found_at bigint,
  none_at bigint,
  several_at bigint,
  problem text,
  problem_at bigint,
  failures bigint not null default 0,
  paused_until bigint
);
create index connection_people_team on connection_people (team_id);
