-- room: telephony
-- The latest change that removed all accounts of a team, whose rows are then deleted. Whoever last looked before it checks
-- which of the accounts in memory are still there.
alter table telephony_changes add column forgotten bigint not null default 0;

-- For erasing a team, its users and its accounts: see 0014. The columns after the first keep SQLite from reading everything
-- that a team ever had where a statement means what it has now.
create index telephony_accounts_owner on telephony_accounts (team_id, removed_at, id);
create index telephony_numbers_owner on telephony_numbers (team_id, removed_at, id);
create index telephony_numbers_of_account on telephony_numbers (account_id, removed_at, id);
create index calls_marked_by on calls (marked_returned_by) where marked_returned_by is not null;
create index held_deliveries_team on held_deliveries (team_id, id);
drop index held_deliveries_account;
create index held_deliveries_account on held_deliveries (account_id, team_id, received_at);

-- Deliveries and events no longer refer to their team and account: deleting those would need an index here for each, and
-- these two tables grow with every request. An event goes with its call. A delivery that came too late for its account is
-- deleted when it is processed.
create table deliveries_unbound (
  id text primary key,
  team_id text not null,
  account_id text not null,
  provider text not null,
  route text not null check (route in ('voice', 'recording')),
  received_at bigint not null,
  secret_id text not null,
  payload text,
  state text not null check (state in ('received', 'processed', 'failed')),
  processed_at bigint,
  call_key text,
  told text,
  problem text
);
insert into deliveries_unbound (id, team_id, account_id, provider, route, received_at, secret_id, payload, state,
    processed_at, call_key, told, problem)
  select id, team_id, account_id, provider, route, received_at, secret_id, payload, state, processed_at, call_key, told,
    problem from deliveries;
drop table deliveries;
alter table deliveries_unbound rename to deliveries;
create index deliveries_waiting on deliveries (received_at) where state = 'received';
create index deliveries_call on deliveries (account_id, call_key) where call_key is not null;
create index deliveries_payload on deliveries (team_id, received_at) where payload is not null and state <> 'received';
-- The few that say nothing of a call.
create index deliveries_without_call on deliveries (account_id) where call_key is null and state <> 'received';

create table call_events_unbound (
  call_id text not null constraint call_events_call_id_fkey references calls (id),
  event_key text not null,
  team_id text not null,
  delivery_id text not null,
  event text not null,
  occurred_at bigint not null,
  primary key (call_id, event_key)
);
insert into call_events_unbound (call_id, event_key, team_id, delivery_id, event, occurred_at)
  select call_id, event_key, team_id, delivery_id, event, occurred_at from call_events;
drop table call_events;
alter table call_events_unbound rename to call_events;
