-- room: integrations
-- How often a connection was used through the proxy, by hour (since 1970, UTC). It goes with its connection.
create table connection_usage (
  team_id text not null references teams (id),
  connection_id text not null references connections (id) on delete cascade,
  hour bigint not null,
  requests bigint not null,
  failures bigint not null,
  bytes bigint not null,
  primary key (connection_id, hour)
);
create index connection_usage_team on connection_usage (team_id, hour);

-- When it was last used through the proxy, and when the provider's refusal last made us refresh it.
alter table connections add column used_at bigint;
alter table connections add column renewed_at bigint;
