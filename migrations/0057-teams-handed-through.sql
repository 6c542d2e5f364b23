-- room: teams
-- Everyone who made a sign-in link on the way to a link, a session, or an access token: their ids, with a space before and
-- after each. What one of them could have used in another's name ends with their role.
alter table sign_in_links add column handed_through text;
alter table sessions add column handed_through text;
alter table access_tokens add column handed_through text;
create index sessions_handed on sessions (team_id) where handed_by is not null;
