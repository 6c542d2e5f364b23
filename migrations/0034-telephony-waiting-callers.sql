-- room: telephony
-- Callers who need a call back, each once, with their newest unanswered call. `caller` is the hash of their number, or for
-- a private number the id of the call. Nobody who waits is missing. A row can outlive its reason if two transactions
-- miss each other, so whoever reads it checks the call, too.
create table waiting_callers (
  team_id text not null references teams (id),
  caller text not null,
  call_id text not null references calls (id) on delete cascade,
  started_at bigint not null,
  left_message bigint not null check (left_message in (0, 1)),
  primary key (team_id, caller)
);
create index waiting_callers_newest on waiting_callers (team_id, started_at, call_id);
create index waiting_callers_messages on waiting_callers (team_id, started_at, call_id) where left_message = 1;
create index waiting_callers_call on waiting_callers (call_id);

-- The calls that someone made in vain, whether or not they got through later.
create index calls_unmarked on calls (team_id, from_hash, started_at, id)
  where direction = 'inbound' and outcome is not null and outcome not in ('answered', 'unknown')
    and marked_returned_at is null and from_hash is not null;
create index calls_voicemail on calls (team_id, started_at, id) where outcome = 'voicemail';

insert into waiting_callers (team_id, caller, call_id, started_at, left_message)
  select team_id, caller, id, started_at, left_message from (
    select c.team_id, coalesce(c.from_hash, c.id) as caller, c.id, c.started_at,
      max(case when c.outcome = 'voicemail' then 1 else 0 end)
        over (partition by c.team_id, coalesce(c.from_hash, c.id)) as left_message,
      row_number() over (partition by c.team_id, coalesce(c.from_hash, c.id) order by c.started_at desc, c.id desc) as place
    from calls c where c.direction = 'inbound' and c.outcome is not null and c.outcome not in ('answered', 'unknown')
      and c.marked_returned_at is null
      and not exists (select 1 from calls o where o.team_id = c.team_id and o.to_hash = c.from_hash
        and o.direction = 'outbound' and o.started_at > c.started_at)
      and not exists (select 1 from calls o where o.team_id = c.team_id and o.from_hash = c.from_hash
        and o.direction = 'inbound' and o.outcome = 'answered' and o.started_at > c.started_at)) waiting
  where place = 1;
