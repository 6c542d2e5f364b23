-- room: integrations
-- Requests of restricted tokens that an admin approves or refuses (src/integrations/approvals/approval.ts). `target`,
-- `content`, and `response` are sealed. Once the token has ended, `living_token_id` is null, and nobody sees the approval anymore.
create table approvals (
  id text primary key,
  team_id text not null references teams (id),
  token_id text not null,
  living_token_id text references access_tokens (id) on delete set null,
  token_name text not null,
  user_id text not null,
  by_operator bigint not null,
  provider text not null,
  connection text not null,
  account text not null,
  host text,
  origin text not null,
  target text not null,
  content text,
  bytes bigint not null,
  state text not null,
  requested_at bigint not null,
  expires_at bigint not null,
  decided_by text,
  decided_with text,
  decided_at bigint,
  lease_until bigint,
  begun_at bigint,
  ended_at bigint,
  status bigint,
  problem text,
  response text
);
create index approvals_team on approvals (team_id, id);
create index approvals_token on approvals (token_id, id);
create index approvals_waiting on approvals (team_id, token_id) where state = 'waiting';
create index approvals_expiring on approvals (expires_at) where state = 'waiting';
create index approvals_sending on approvals (lease_until) where state = 'sending';
create index approvals_responses on approvals (ended_at) where response is not null;
create index approvals_requested on approvals (requested_at);
create index approvals_of_ended_tokens on approvals (requested_at) where living_token_id is null;
