-- room: teams
-- The audit log can be read by user, and by what isn't a user. Most entries are by users.
create index audit_events_actor_id on audit_events (team_id, actor_id, id);
create index audit_events_others on audit_events (team_id, actor, id) where actor <> 'user';
