-- room: teams
-- Finds out quickly whether the same was recorded within the day, for changes that need no credential.
create index audit_events_repeats on audit_events (team_id, action, target, id) where actor = 'service';
