-- room: telephony
-- Calls of one direction and outcome, newest first: a few are found without reading the others. Voicemail is one of them.
-- Nothing but these lists can use it by accident, because it's of an expression.
create index calls_kind on calls (team_id, (direction || ' ' || coalesce(outcome, '')), started_at, id);
drop index calls_voicemail;
