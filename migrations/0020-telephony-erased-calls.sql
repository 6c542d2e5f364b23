-- room: telephony
-- Calls that were erased with a number, for as long as providers still report about them: what they say is refused.
create table erased_calls (
  account_id text not null references telephony_accounts (id) on delete cascade,
  call_key text not null,
  team_id text not null references teams (id),
  erased_at bigint not null,
  primary key (account_id, call_key)
);
create index erased_calls_age on erased_calls (erased_at);
create index erased_calls_team on erased_calls (team_id);

-- Read in the order of their ids, a page at a time, when a number is erased.
drop index deliveries_without_call;
create index deliveries_without_call on deliveries (account_id, id) where call_key is null and state <> 'received';
