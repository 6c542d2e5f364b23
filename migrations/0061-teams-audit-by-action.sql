-- room: teams
-- The audit log can be read by action.
create index audit_events_action on audit_events (team_id, action, id);
