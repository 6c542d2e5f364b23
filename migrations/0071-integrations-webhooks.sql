-- room: integrations
-- Addresses of teams' own, to which providers send webhooks. An address is found by its digest, and sealed to show it.
create table webhook_addresses (
  id text primary key,
  team_id text not null,
  provider text not null,
  digest text not null,
  address text not null,
  created_at bigint not null,
  opened_at bigint not null,
  last_delivery_at bigint,
  last_type text,
  last_connection text,
  last_refusal_at bigint,
  last_refusal text
);
create unique index webhook_addresses_digest on webhook_addresses (digest);
create unique index webhook_addresses_team on webhook_addresses (team_id, provider);

-- The secrets that verify what arrives there, sealed.
create table webhook_secrets (
  id text primary key,
  address_id text not null references webhook_addresses (id) on delete cascade,
  team_id text not null,
  secret text not null,
  added_at bigint not null,
  used_at bigint
);
create index webhook_secrets_address on webhook_secrets (address_id, added_at);

-- What has arrived, so that the same delivery twice is one event. `address` is the ID of a team's address, or the
-- provider for the operator's. Of the delivery, there is only a digest.
create table webhook_arrivals (
  address text not null,
  repeat text not null,
  arrived_at bigint not null,
  primary key (address, repeat)
);
create index webhook_arrivals_old on webhook_arrivals (arrived_at);

-- Some providers name an account by the host that issues its tokens.
create index connections_authority on connections (authority, provider);
