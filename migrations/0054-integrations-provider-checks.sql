-- room: integrations
-- What the last try of an entry at its provider found. Without a team, it's the operator's OAuth app that was tried.
create table provider_checks (
  team_id text not null,
  provider text not null,
  begun_at bigint not null,
  ended_at bigint,
  steps text,
  primary key (team_id, provider)
);
