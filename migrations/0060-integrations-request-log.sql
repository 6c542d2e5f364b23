-- room: integrations
-- What was requested with a team's connections. A row is a group of requests that ended within a second: of one caller,
-- with one account. `id` is the ID of its newest request, and `requests` (sealed) says what each of them was.
create table request_groups (
  id text primary key,
  oldest_id text not null,
  team_id text not null references teams (id),
  connection_id text not null,
  provider text not null,
  connection text not null,
  account_id text,
  account_label text,
  kind text not null,
  via text not null,
  caller text not null,
  token_id text,
  token_name text,
  user_id text not null,
  requests text not null,
  number bigint not null,
  failures bigint not null
);
create index request_groups_team on request_groups (team_id, id);
create index request_groups_connection on request_groups (team_id, provider, connection, id);
create index request_groups_caller on request_groups (team_id, caller, id);
create index request_groups_failed on request_groups (team_id, id) where failures > 0;

-- How often a connection was used with an access token, by hour (since 1970, UTC).
create table connection_usage_by_token (
  team_id text not null references teams (id),
  connection_id text not null references connections (id) on delete cascade,
  token_id text not null,
  hour bigint not null,
  requests bigint not null,
  failures bigint not null,
  bytes bigint not null,
  primary key (connection_id, token_id, hour)
);
create index connection_usage_by_token_team on connection_usage_by_token (team_id, token_id, hour);
create index connection_usage_by_token_hour on connection_usage_by_token (hour);
