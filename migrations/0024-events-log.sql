-- room: events
-- What happened, one row for each event, written in the transaction of its cause. `data` is sealed like what it's about,
-- and null once that was erased. A row gets its numbers only after its transaction has committed (see event_log): until
-- then `position` is null, and nobody is told. `stamp` says in which order a process recorded its events. A team that was
-- erased leaves one event, so there is no reference to it; `team_key` is what the operator's product calls the team.
create table events (
  id text primary key,
  team_id text not null,
  team_key text,
  type text not null,
  subject text not null,
  data text,
  stamp bigint not null,
  created_at bigint not null,
  position bigint,
  sequence bigint
);
create index events_unnumbered on events (stamp, id) where position is null;
create unique index events_position on events (position);
create unique index events_of_team on events (team_id, position);
create index events_of_type on events (team_id, type, position);
create index events_of_subject on events (team_id, subject, position);
create index events_of_customers on events (position) where team_key is not null;

-- How far a team's events have been numbered: the number of its last event, and where in the log that is.
create table event_teams (
  team_id text primary key,
  sequence bigint not null,
  position bigint not null
);

-- One row. Whoever numbers events holds it, so that numbers become visible in order: whoever has read up to a position
-- never misses anything before it. What is at or below `pruned` has been deleted.
create table event_log (
  id bigint primary key check (id = 1),
  position bigint not null,
  pruned bigint not null
);
insert into event_log (id, position, pruned) values (1, 0, 0);
