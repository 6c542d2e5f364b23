-- room: telephony
-- The calls of one number are listed newest first. Without the id at its end, SQLite passes these over for the index of
-- the whole team, and reads every call of the team to find the few of one number.
drop index calls_from;
drop index calls_to;
create index calls_from on calls (team_id, from_hash, started_at, id) where from_hash is not null;
create index calls_to on calls (team_id, to_hash, started_at, id) where to_hash is not null;

-- Whether a caller was reached after all is asked of every call that nobody answered. Somebody who calls a thousand times
-- in vain has a thousand calls that say nothing about it.
create index calls_answered on calls (team_id, from_hash, started_at)
  where direction = 'inbound' and outcome = 'answered' and from_hash is not null;
create index calls_made on calls (team_id, to_hash, started_at)
  where direction = 'outbound' and to_hash is not null;
