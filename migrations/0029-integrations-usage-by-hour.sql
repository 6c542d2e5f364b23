-- room: integrations
-- Usage is kept for ninety days.
create index connection_usage_hour on connection_usage (hour);
