-- room: teams
-- A team that the operator's identity provider named has its issuer and its name there; others have neither.
create table teams (
  id text primary key,
  name text not null,
  time_zone text not null,
  business_hours text,
  report_recipients text,
  recording_days bigint,
  payload_days bigint not null,
  issuer text,
  subject text,
  created_at bigint not null
);
create unique index teams_outside on teams (issuer, subject) where issuer is not null;

-- One address can be a user of several teams, once in each. A removed member's row stays, so that an outside token doesn't
-- create the member again. `proved_at` is when the owner of the address last signed in to this team: whoever invites
-- somebody sees the link and can use it, so signing in alone doesn't show who it was.
create table users (
  id text primary key,
  team_id text not null references teams (id),
  email text,
  name text,
  role text not null check (role in ('admin', 'member')),
  issuer text,
  subject text,
  created_at bigint not null,
  signed_in_at bigint,
  removed_at bigint,
  proved_at bigint
);
create unique index users_outside on users (team_id, issuer, subject) where issuer is not null;
create unique index users_team_email on users (team_id, email) where issuer is null and removed_at is null;
create index users_email on users (email) where issuer is null and removed_at is null;
-- Lists are read a page at a time, in the order of their ids: here and below.
create index users_team on users (team_id, id);

-- A token made on the command line is the operator's. Others may come from whoever used a link that was handed over: they
-- end when the owner of the address first signs in.
create table access_tokens (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  name text not null,
  digest text not null,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint,
  by_operator bigint not null default 0 check (by_operator in (0, 1))
);
create index access_tokens_expiry on access_tokens (expires_at);
create index access_tokens_team on access_tokens (team_id, id);
create index access_tokens_user on access_tokens (user_id, id);

create table sessions (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  digest text not null,
  created_at bigint not null,
  expires_at bigint not null,
  proves_address bigint not null default 0 check (proves_address in (0, 1))
);
create index sessions_expiry on sessions (expires_at);
create index sessions_user on sessions (user_id, id);

-- A link that was handed over proves nothing about the address. One that was emailed there does, and so does one that the
-- operator made.
create table sign_in_links (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  digest text not null,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint,
  kind text not null default 'handed' check (kind in ('handed', 'invited', 'asked'))
);
create index sign_in_links_user on sign_in_links (user_id);
create index sign_in_links_expiry on sign_in_links (expires_at);

-- Events without a team are the operator's own.
create table audit_events (
  id text primary key,
  team_id text references teams (id),
  at bigint not null,
  actor text not null,
  actor_id text,
  action text not null,
  target text,
  detail text,
  address text,
  request_id text
);
create index audit_events_team on audit_events (team_id, id);
-- Finds quickly whether the same event was recorded within the day, for changes that need no credential.
create index audit_events_repeats on audit_events (team_id, action, target, id) where actor = 'service';
