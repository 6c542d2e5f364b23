-- room: events
-- The operator's log by type, and the operator's endpoints that want only some: what is rare among millions of others is
-- found without reading those.
create index events_of_customers_type on events (type, position) where team_key is not null;
