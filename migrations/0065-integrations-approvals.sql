-- room: integrations
-- Requests of restricted tokens that an admin approves or refuses (src/integrations/approvals/approval.ts). `target`,
-- `content`, and `response` are sealed. What is large has a table of its own, so that lists and marks don't read it.
create table approval_tokens (
  id text primary key,
  team_id text not null references teams (id),
  living_id text references access_tokens (id) on delete set null
);
create index approval_tokens_team on approval_tokens (team_id);
create index approval_tokens_living on approval_tokens (living_id);
create index approval_tokens_ended on approval_tokens (id) where living_id is null;
create table approvals (
  team_id text not null references teams (id),
  id text not null,
  token_id text not null references approval_tokens (id),
  token_name text not null,
  user_id text not null,
  by_operator bigint not null,
  provider text not null,
  connection text not null,
  account text not null,
  host text,
  origin text not null,
  target text not null,
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
  primary key (team_id, id)
);
create index approvals_token on approvals (token_id, id);
create index approvals_waiting on approvals (team_id, token_id) where state = 'waiting';
create index approvals_expiring on approvals (expires_at) where state = 'waiting';
create index approvals_sending on approvals (lease_until) where state = 'sending';
create index approvals_requested on approvals (requested_at);
create table approval_contents (
  team_id text not null,
  approval_id text not null,
  content text,
  response text,
  answered_at bigint,
  primary key (team_id, approval_id)
);
create index approval_contents_answered on approval_contents (answered_at) where response is not null;
