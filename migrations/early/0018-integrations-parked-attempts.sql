-- room: integrations
-- Of what is parked for a user only the newest stay, and codes that nobody came back for go first of all. Both are few,
-- whatever else has come back.
create index connect_attempts_parked on connect_attempts (team_id, user_id, created_at) where phase = 'parked';
create index connect_attempts_callback on connect_attempts (expires_at) where callback is not null;
