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

-- A removed member's row stays, so that an outside token does not make the member again.
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
  removed_at bigint
);
create index users_team on users (team_id);
create unique index users_email on users (email) where issuer is null and removed_at is null;
create unique index users_outside on users (team_id, issuer, subject) where issuer is not null;

create table access_tokens (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  name text not null,
  digest text not null,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint
);
create index access_tokens_team on access_tokens (team_id, user_id);
create index access_tokens_expiry on access_tokens (expires_at);

create table sessions (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  digest text not null,
  created_at bigint not null,
  expires_at bigint not null
);
create index sessions_user on sessions (user_id);
create index sessions_expiry on sessions (expires_at);

create table sign_in_links (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  digest text not null,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint
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
