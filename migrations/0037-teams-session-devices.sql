-- room: teams
-- What people recognize a session by: the device in a few words of our own, never the header it comes from.
alter table sessions add column device text;
alter table sessions add column used_at bigint;
