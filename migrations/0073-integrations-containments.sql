-- room: integrations
-- What must not be used anymore, because something has leaked (src/integrations/containment/containment.ts). `team_id` is
-- the team whose admin began it, and null for the operator. The filters follow: null matches everything.
create table containments (
  id text primary key,
  team_id text references teams (id),
  reason text not null,
  provider text,
  of_team_id text,
  connected_before bigint,
  token_id text,
  token_name text,
  kept_token_id text,
  stops_connections bigint not null,
  revokes bigint not null,
  started_at bigint not null,
  phase text not null,
  listed_up_to text,
  finished_at bigint,
  lifted_at bigint
);
create index containments_in_force on containments (of_team_id) where lifted_at is null;
create index containments_under_way on containments (id) where phase <> 'done';
create index containments_team on containments (team_id, id);

-- The connections that a containment stops, and what became of each grant.
create table contained_connections (
  containment_id text not null references containments (id) on delete cascade,
  connection_id text not null,
  team_id text not null,
  provider text not null,
  name text not null,
  connected_at bigint not null,
  account_id text,
  account_label text,
  state text,
  changed_at bigint not null,
  revocation_id text,
  due_at bigint,
  primary key (containment_id, connection_id)
);
create index contained_connections_connection on contained_connections (connection_id);
create index contained_connections_team on contained_connections (team_id);
create index contained_connections_due on contained_connections (provider, due_at) where due_at is not null;
create index contained_connections_revocation on contained_connections (revocation_id) where revocation_id is not null;
create index contained_connections_open on contained_connections (containment_id) where due_at is not null or state = 'pending';
