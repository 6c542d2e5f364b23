-- room: archive
-- The backups that the service makes by itself, and how each ended. Only files that are named here are ever deleted.
create table backups (
  id text primary key,
  place text not null,
  name text not null,
  state text not null check (state in ('running', 'done', 'failed', 'removed')),
  begun_at bigint not null,
  ended_at bigint,
  bytes bigint,
  problem text
);
create index backups_by_state on backups (state, begun_at);
