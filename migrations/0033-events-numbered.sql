-- room: events
-- An event has no place in the log when it's recorded, so it needn't be in the indexes by place yet: recording one takes
-- almost half as long. Of two indexes that seem equally good, SQLite takes the one that was created first or last, and so
-- never used the one by type. In this order, each list uses the index with the fewest rows.
drop index events_position;
drop index events_of_team;
drop index events_of_type;
drop index events_of_customers;
create unique index events_position on events (position) where position is not null;
create index events_of_type on events (team_id, type, position) where position is not null;
create index events_of_team on events (team_id, position) where position is not null;
create unique index events_of_customers on events (position) where team_key is not null;
