-- room: integrations
-- A key is sealed in the place of the access token, and verified once a day. Whoever verifies it first moves the time
-- forward, so that no other process does.
alter table connections add column verify_due_at bigint;
create index connections_verify_due on connections (verify_due_at) where verify_due_at is not null;
