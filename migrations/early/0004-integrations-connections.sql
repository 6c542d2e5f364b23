-- room: integrations
-- One connection for a team and a provider. A disconnected one leaves no row. `generation` grows with every new set of
-- tokens: whoever writes tokens names the generation it began with, so that an older refresh never wins over a
-- reconnect. The lease says who refreshes now, and `refresh_begun_at` that a refresh was begun and its end not written.
create table connections (
  id text primary key,
  team_id text not null references teams (id),
  provider text not null,
  generation bigint not null,
  status text not null check (status in ('connected', 'degraded', 'needs_reconnect')),
  reason text,
  account_id text,
  account_label text,
  details text not null,
  client_id text not null,
  client_of text not null check (client_of in ('operator', 'team')),
  authority text not null,
  scopes_asked text not null,
  scopes_granted text,
  access_token text not null,
  refresh_token text,
  expires_at bigint,
  refresh_expires_at bigint,
  reconnect_before bigint,
  connected_at bigint not null,
  connected_by text not null references users (id),
  refreshed_at bigint,
  last_error text,
  failures bigint not null,
  trouble_since bigint,
  refresh_due_at bigint,
  lease_owner text,
  lease_number bigint not null,
  lease_until bigint,
  refresh_begun_at bigint
);
create unique index connections_provider on connections (team_id, provider);
create index connections_due on connections (refresh_due_at) where refresh_due_at is not null;
create index connections_account on connections (provider, account_id);

-- A state that was brought back. Its row makes it work once, and is kept past the state's end. A parked attempt holds the
-- code, sealed, until the user who began finishes it.
create table connect_attempts (
  state_digest text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  provider text not null,
  phase text not null check (phase in ('parked', 'exchanging', 'done')),
  attempt_digest text,
  callback text,
  outcome text,
  created_at bigint not null,
  expires_at bigint not null
);
create unique index connect_attempts_attempt on connect_attempts (attempt_digest) where attempt_digest is not null;
create index connect_attempts_expiry on connect_attempts (expires_at);

-- A ticket that was redeemed: it works once.
create table used_tickets (
  digest text primary key,
  expires_at bigint not null
);
create index used_tickets_expiry on used_tickets (expires_at);

-- A team's own client at a provider, with the params that say where it was registered: it is sent there and nowhere else.
create table provider_credentials (
  team_id text not null references teams (id),
  provider text not null,
  client_id text not null,
  client_secret text,
  params text not null,
  created_at bigint not null,
  created_by text not null references users (id),
  primary key (team_id, provider)
);

-- The one token that a revocation still needs, sealed, for at most seven days.
create table revocations (
  id text primary key,
  team_id text not null references teams (id),
  provider text not null,
  token_kind text not null check (token_kind in ('access', 'refresh')),
  token text not null,
  details text not null,
  client_id text not null,
  client_of text not null check (client_of in ('operator', 'team')),
  authority text not null,
  account_id text,
  created_at bigint not null,
  expires_at bigint not null
);
create index revocations_expiry on revocations (expires_at);
