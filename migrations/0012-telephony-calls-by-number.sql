-- room: telephony
-- The calls of one number are listed newest first. Without the id at its end, SQLite passes these over for the index of
-- the whole team, and reads every call of the team to find the few of one number.
drop index calls_from;
drop index calls_to;
create index calls_from on calls (team_id, from_hash, started_at, id) where from_hash is not null;
create index calls_to on calls (team_id, to_hash, started_at, id) where to_hash is not null;
