-- room: agents
-- What the OAuth server for agents keeps and has issued, found by a digest of the ID, which for codes and tokens is the
-- secret. A grant is the access token of the same ID. What was issued for it ends with it.
create table agent_issued (
  digest text primary key,
  kind text not null,
  grant_id text references access_tokens (id) on delete cascade,
  payload text not null,
  consumed_at bigint,
  created_at bigint not null,
  expires_at bigint not null
);
create index agent_issued_by_kind on agent_issued (kind, created_at);
create index agent_issued_by_grant on agent_issued (grant_id, kind);
create index agent_issued_by_expiry on agent_issued (expires_at);
