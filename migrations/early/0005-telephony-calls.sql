-- room: telephony
-- Grows with every change to accounts and numbers. A changed row carries the number of its change, so that whoever
-- answers from memory reads what is new and nothing else.
create table telephony_changes (
  id bigint primary key,
  latest bigint not null
);
insert into telephony_changes (id, latest) values (1, 0);

-- An account at a telephony provider. Secrets and what fetching needs are sealed. A removed one keeps its row, so that
-- its calls stay whose they are and others see that it is gone.
create table telephony_accounts (
  id text primary key,
  team_id text not null references teams (id),
  provider text not null,
  external_id text,
  secrets text not null,
  api text,
  mode text not null check (mode in ('enforce', 'observe')),
  observe_until bigint,
  removes_archived bigint not null check (removes_archived in (0, 1)),
  change bigint not null,
  created_at bigint not null,
  removed_at bigint
);
create index telephony_accounts_team on telephony_accounts (team_id);
create unique index telephony_accounts_external on telephony_accounts (team_id, provider, external_id)
  where removed_at is null and external_id is not null;
create unique index telephony_accounts_change on telephony_accounts (change);

-- Which secret verified something, and when last: one that is not used any more can be taken away.
create table telephony_secret_uses (
  account_id text not null references telephony_accounts (id),
  secret_id text not null,
  last_used_at bigint not null,
  primary key (account_id, secret_id)
);

-- A number and how it is answered, both sealed; the hash keeps the number unique.
create table telephony_numbers (
  id text primary key,
  team_id text not null references teams (id),
  account_id text not null references telephony_accounts (id),
  number_hash text not null,
  number text not null,
  label text,
  answer text not null,
  change bigint not null,
  created_at bigint not null,
  removed_at bigint
);
create index telephony_numbers_team on telephony_numbers (team_id);
create unique index telephony_numbers_number on telephony_numbers (account_id, number_hash) where removed_at is null;
create unique index telephony_numbers_change on telephony_numbers (change);

-- One webhook request that was verified. Its id is made of the account and of what it says, so that a repetition is
-- the same row. What it says is sealed, and erased after as many days as the team wants.
create table deliveries (
  id text primary key,
  team_id text not null references teams (id),
  account_id text not null references telephony_accounts (id),
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
create index deliveries_waiting on deliveries (received_at) where state = 'received';
create index deliveries_call on deliveries (account_id, call_key) where call_key is not null;
create index deliveries_payload on deliveries (team_id, received_at) where payload is not null and state <> 'received';

-- A call, put together from everything that was told of it. Both ends are sealed; the hashes find them. `told_by` is
-- the rank of the delivery that the ends were taken from: of several it is the smallest, whatever came first.
create table calls (
  id text primary key,
  team_id text not null references teams (id),
  account_id text not null references telephony_accounts (id),
  provider text not null,
  external_id text not null,
  direction text not null check (direction in ('inbound', 'outbound')),
  told_by text,
  from_hash text,
  from_party text,
  to_hash text,
  to_party text,
  status text not null check (status in ('ringing', 'in_progress', 'ended')),
  outcome text,
  evidence text not null,
  started_at bigint not null,
  answered_at bigint,
  ended_at bigint,
  talk_seconds bigint,
  marked_returned_at bigint,
  marked_returned_by text references users (id),
  updated_at bigint not null
);
create unique index calls_external on calls (account_id, external_id);
create index calls_team on calls (team_id, started_at, id);
create index calls_from on calls (team_id, from_hash, started_at) where from_hash is not null;
create index calls_to on calls (team_id, to_hash, started_at) where to_hash is not null;

create table call_events (
  call_id text not null references calls (id),
  event_key text not null,
  team_id text not null references teams (id),
  delivery_id text not null,
  event text not null,
  occurred_at bigint not null,
  primary key (call_id, event_key)
);

-- A recording belongs to the call that its account and `call_key` name, whichever of the two came first. The address in
-- the payload is sealed: it may be all that is needed to listen.
create table recordings (
  id text primary key,
  team_id text not null references teams (id),
  account_id text not null references telephony_accounts (id),
  provider text not null,
  external_id text not null,
  call_key text,
  told_status text not null check (told_status in ('in_progress', 'available', 'absent', 'failed')),
  state text not null check (state in ('announced', 'waiting', 'archived', 'absent', 'failed', 'removed')),
  media_url text,
  media_expires_at bigint,
  started_at bigint,
  duration_ms bigint,
  channels bigint,
  source text,
  error_code text,
  problem text,
  fetched_from text,
  content_type text,
  bytes bigint,
  sha256 text,
  sealed bigint,
  archived_at bigint,
  removed_at bigint,
  removed_at_provider_at bigint,
  created_at bigint not null
);
create unique index recordings_external on recordings (account_id, external_id);
create index recordings_call on recordings (account_id, call_key);
create index recordings_archived on recordings (team_id, archived_at) where state = 'archived';

-- Requests that could not be verified, counted by what was wrong with them and by the quarter of an hour.
create table telephony_refusals (
  account_id text not null references telephony_accounts (id),
  piece bigint not null,
  reason text not null,
  hint text not null,
  team_id text not null references teams (id),
  count bigint not null,
  first_at bigint not null,
  last_at bigint not null,
  primary key (account_id, piece, reason, hint)
);
create index telephony_refusals_team on telephony_refusals (team_id, piece);

-- While an account is observed: what could not be verified, sealed with its headers, until it is released or expires.
create table held_deliveries (
  id text primary key,
  team_id text not null references teams (id),
  account_id text not null references telephony_accounts (id),
  received_at bigint not null,
  bytes bigint not null,
  content text not null
);
create index held_deliveries_account on held_deliveries (account_id, received_at);
create index held_deliveries_age on held_deliveries (received_at);
