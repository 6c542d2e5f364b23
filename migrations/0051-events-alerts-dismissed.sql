-- room: events
-- When someone dismissed it. It stays open, so that the same cause isn't told again, but it isn't shown anymore.
alter table event_alerts add column dismissed_at bigint;
