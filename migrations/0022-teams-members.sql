-- room: teams
-- Those who were removed stay, so that they aren't created again, but lists of members don't read them.
create index users_members on users (team_id, id) where removed_at is null;
create index users_admins on users (team_id, id) where role = 'admin' and removed_at is null;
