-- room: events
-- The same table, in which an alert can also be about an approval. Neither engine lets a condition be widened, so there
-- is none any more: the code has the list of kinds.
alter table event_alerts rename to event_alerts_before;
create table event_alerts (
  id text primary key,
  team_id text not null references teams (id),
  kind text not null,
  subject text not null,
  event_id text,
  text text,
  reason text,
  opened_at bigint not null,
  resolved_at bigint,
  resolution text,
  told_in text,
  resolution_told_in text,
  tell_at bigint,
  dismissed_at bigint
);
insert into event_alerts (id, team_id, kind, subject, event_id, text, reason, opened_at, resolved_at, resolution, told_in,
  resolution_told_in, tell_at, dismissed_at)
  select id, team_id, kind, subject, event_id, text, reason, opened_at, resolved_at, resolution, told_in,
    resolution_told_in, tell_at, dismissed_at from event_alerts_before;
drop table event_alerts_before;
create unique index event_alerts_open on event_alerts (team_id, kind, subject) where resolved_at is null;
create index event_alerts_told on event_alerts (team_id, told_in);
create index event_alerts_resolution_told on event_alerts (team_id, resolution_told_in) where resolved_at is not null;
create index event_alerts_resolved on event_alerts (resolved_at) where resolved_at is not null;
create index event_alerts_endpoints on event_alerts (subject) where kind = 'endpoint' and resolved_at is null;
create index event_alerts_calls on event_alerts (opened_at) where kind in ('voicemail', 'missed');
create index event_alerts_held on event_alerts (tell_at) where tell_at is not null;
create index event_alerts_of_cause on event_alerts (team_id, subject, resolved_at) where resolved_at is not null;
