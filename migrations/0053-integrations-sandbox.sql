-- room: integrations
-- What the sandbox has issued, so that its connections outlast a restart. Found by a digest of what it issued, which is nowhere in it.
create table sandbox_issued (
  digest text primary key,
  kind text not null,
  grant_id text,
  payload text not null,
  consumed_at bigint,
  created_at bigint not null,
  expires_at bigint not null
);
create index sandbox_issued_by_kind on sandbox_issued (kind, created_at);
create index sandbox_issued_by_grant on sandbox_issued (grant_id);
create index sandbox_issued_by_expiry on sandbox_issued (expires_at);
