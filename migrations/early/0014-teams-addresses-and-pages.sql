-- room: teams
-- One address may be a user of several teams, once in each.
drop index users_email;
create unique index users_team_email on users (team_id, email) where issuer is null and removed_at is null;
create index users_email on users (email) where issuer is null and removed_at is null;

-- When the owner of the address last signed in to this team. Whoever invites somebody sees the link and can use it, so
-- that signing in alone does not show who it was.
alter table users add column proved_at bigint;

-- A link that was handed over proves nothing about the address. One that was mailed there does, and so does one that
-- the operator made.
alter table sign_in_links add column kind text not null default 'handed' check (kind in ('handed', 'invited', 'asked'));
alter table sessions add column proves_address bigint not null default 0 check (proves_address in (0, 1));

-- Lists are read a page at a time, in the order of their ids.
drop index users_team;
create index users_team on users (team_id, id);
drop index access_tokens_team;
create index access_tokens_team on access_tokens (team_id, id);
create index access_tokens_user on access_tokens (user_id, id);
drop index sessions_user;
create index sessions_user on sessions (user_id, id);
