-- room: events
-- Secrets that were rotated before `old_secret` and still sign, as a JSON list of sealed secrets and the time they end.
alter table event_endpoints add column older_secrets text not null default '[]';
