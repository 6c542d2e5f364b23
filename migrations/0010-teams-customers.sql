-- room: teams
-- `key` is what the operator's product calls the team. From `erasing_at` on the team is being erased; the row is then its
-- tombstone and keeps the key taken.
alter table teams add column key text;
alter table teams add column erasing_at bigint;
create unique index teams_key on teams (key) where key is not null;

-- What a customer's user connects with: a bearer token for their browser, the ticket of a hosted page, or the cookie that
-- the ticket was exchanged for. `providers` is a JSON list, or null for all.
create table connect_sessions (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  digest text not null,
  kind text not null check (kind in ('bearer', 'ticket', 'page')),
  providers text,
  return_to text,
  created_at bigint not null,
  expires_at bigint not null
);
create index connect_sessions_expiry on connect_sessions (expires_at);
create index connect_sessions_user on connect_sessions (user_id);
create index connect_sessions_team on connect_sessions (team_id);
