-- room: telephony
-- The calls of one caller that were marked as returned at one moment, for taking that back.
create index calls_marked on calls (team_id, from_hash, marked_returned_at)
  where marked_returned_at is not null and from_hash is not null;
