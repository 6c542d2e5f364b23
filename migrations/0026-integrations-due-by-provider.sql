-- room: integrations
-- Which connections are due is looked up for each provider, so that those of one that doesn't respond hide no others.
drop index connections_due;
create index connections_due on connections (provider, refresh_due_at) where refresh_due_at is not null;
drop index connections_verify_due;
create index connections_verify_due on connections (provider, verify_due_at) where verify_due_at is not null;
