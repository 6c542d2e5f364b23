-- room: vault
create table team_keys (
  id text primary key,
  team_id text not null unique references teams (id),
  ring_key_id text not null,
  wrapped text not null,
  created_at bigint not null
);
create index team_keys_ring on team_keys (ring_key_id);
