-- room: telephony
-- Calls of one number, direction, and outcome: a team's own number may have millions of calls, and few of one kind. As with
-- calls_kind, nothing else can use these by accident, because they're of an expression. Without those that haven't ended,
-- each call is added to them once.
create index calls_from_kind on calls (team_id, (from_hash || ' ' || direction || ' ' || outcome), started_at, id)
  where outcome is not null;
create index calls_to_kind on calls (team_id, (to_hash || ' ' || direction || ' ' || outcome), started_at, id)
  where outcome is not null;
