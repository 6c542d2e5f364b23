-- room: teams
-- When a team that is being erased is next worked on. Null for all others.
alter table teams add column erase_due_at bigint;
create index teams_erase_due on teams (erase_due_at) where erase_due_at is not null;
-- Deleting a team or a user looks for what still refers to it. Without an index, that reads whole tables: here, and in the
-- migrations of the other rooms.
create index sessions_team on sessions (team_id, user_id);
create index sign_in_links_team on sign_in_links (team_id, user_id);
