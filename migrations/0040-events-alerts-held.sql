-- room: events
-- A cause that comes back again and again is told less and less often: until `tell_at`, its alert is only on the pages.
alter table event_alerts add column tell_at bigint;
create index event_alerts_held on event_alerts (tell_at) where tell_at is not null;
create index event_alerts_of_cause on event_alerts (team_id, subject, resolved_at) where resolved_at is not null;
