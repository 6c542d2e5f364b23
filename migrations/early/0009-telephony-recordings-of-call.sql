-- room: telephony
-- The recordings of a call are looked for with the team, and in the order in which they were told. An index without the
-- two is passed over for one of the team alone, and every recording of the team is read for each call.
drop index recordings_call;
create index recordings_call on recordings (team_id, account_id, call_key, created_at);
