-- room: events
-- Where events are sent. An endpoint of the operator gets the events of all teams with a key; it belongs to the first team,
-- which can't be erased, and whose key seals it. The address is sealed, because it may contain a token, and so are the
-- secrets. `types` is a JSON list.
--
-- `position` is how far in the log the endpoint has been told, whether or not it accepted: what it didn't is in
-- event_retries. From `replay_position` to `replay_until` it's told again. `retry_at` is when the next retry is due. A
-- process that sends to it holds it, so that no other does. `failing_since` is when it last began to fail.
create table event_endpoints (
  id text primary key,
  team_id text not null references teams (id),
  for_operator bigint not null check (for_operator in (0, 1)),
  url text not null,
  types text not null,
  description text not null,
  inactive_reason text check (inactive_reason in ('paused', 'gone', 'failing')),
  inactive_since bigint,
  secret text not null,
  old_secret text,
  old_secret_until bigint,
  position bigint not null,
  replay_position bigint,
  replay_until bigint,
  retry_at bigint,
  failing_since bigint,
  last_success_at bigint,
  last_failure_at bigint,
  holder text,
  held_until bigint not null default 0,
  created_at bigint not null,
  changed_at bigint not null
);
create index event_endpoints_team on event_endpoints (team_id, for_operator);
create index event_endpoints_operator on event_endpoints (id) where for_operator = 1;
create index event_endpoints_due on event_endpoints (retry_at) where retry_at is not null;

-- Every time an event was sent to an endpoint. `status` is null if there was no response.
create table event_attempts (
  id text primary key,
  team_id text not null,
  event_id text not null references events (id) on delete cascade,
  endpoint_id text not null,
  at bigint not null,
  status bigint,
  duration_ms bigint not null,
  error text
);
create index event_attempts_event on event_attempts (event_id, id);
create index event_attempts_endpoint on event_attempts (endpoint_id, id);

-- What an endpoint didn't accept, or gets once more because somebody wants that.
create table event_retries (
  endpoint_id text not null references event_endpoints (id) on delete cascade,
  event_id text not null references events (id) on delete cascade,
  attempts bigint not null,
  next_at bigint not null,
  primary key (endpoint_id, event_id)
);
create index event_retries_next on event_retries (endpoint_id, next_at);
create index event_retries_event on event_retries (event_id);
