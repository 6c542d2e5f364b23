-- room: telephony
-- Who a team's callers are, by number: `person` (sealed) is the contact that a connection's provider has, and belongs to
-- all calls with the number. `call_id` is the newest of them. `due_at` is when the number is looked up, null if it isn't.
create table call_people (
  team_id text not null references teams (id),
  party_hash text not null,
  call_id text not null,
  person text,
  provider text,
  connection_id text,
  named_at bigint,
  asked_at bigint,
  due_at bigint,
  lease_until bigint,
  primary key (team_id, party_hash)
);
create index call_people_due on call_people (due_at) where due_at is not null;
create index call_people_connection on call_people (team_id, connection_id) where connection_id is not null;

-- What became of a call in the log of a connection's provider. `position` is that of the event that it ended, so that calls
-- are logged in order. `sent_at` is written before an entry is sent. `is_stale`: the call has changed since.
create table call_logs (
  call_id text not null,
  connection_id text not null,
  team_id text not null references teams (id),
  position bigint not null,
  state text not null check (state in ('waiting', 'sending', 'logged', 'refused', 'unclear')),
  entry_id text,
  is_stale bigint not null default 0,
  attempts bigint not null default 0,
  sent_at bigint,
  due_at bigint,
  problem text,
  changed_at bigint not null,
  primary key (call_id, connection_id)
);
create index call_logs_due on call_logs (connection_id, position) where due_at is not null;
create index call_logs_team on call_logs (team_id, connection_id, state);

-- Which connections a process is logging calls with, so that no other does.
create table call_log_turns (
  connection_id text primary key,
  team_id text not null references teams (id),
  lease_until bigint not null
);
create index call_log_turns_team on call_log_turns (team_id);

-- How far the log of events has been read for callers to look up and calls to log.
create table call_people_place (
  id bigint primary key check (id = 1),
  position bigint not null
);
insert into call_people_place (id, position) values (1, 0);
