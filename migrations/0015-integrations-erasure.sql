-- room: integrations
-- For erasing a team and its users: see 0014.
create index connections_connected_by on connections (connected_by);
create index connect_attempts_team on connect_attempts (team_id, user_id);
create index connect_attempts_user on connect_attempts (user_id);
create index provider_credentials_created_by on provider_credentials (created_by);
