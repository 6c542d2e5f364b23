-- room: events
-- Where in the log the clock went back: what comes after `position` was recorded at an earlier time than what comes before
-- it. Between two of these, the log is in the order of time. `latest` is the time of the last event that has a place.
create table event_log_turns (
  position bigint primary key
);
alter table event_log add column latest bigint not null default 0;
