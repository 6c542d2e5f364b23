-- room: teams
-- Access tokens that a containment stops, until it's lifted.
create table contained_tokens (
  token_id text not null references access_tokens (id) on delete cascade,
  containment_id text not null,
  team_id text not null references teams (id),
  primary key (token_id, containment_id)
);
create index contained_tokens_of on contained_tokens (containment_id);
create index contained_tokens_team on contained_tokens (team_id);
