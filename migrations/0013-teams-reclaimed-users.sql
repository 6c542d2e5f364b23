-- room: teams
-- When the owner of the address first came. Until then, whoever invited them may have acted in their name.
alter table users add column reclaimed_at bigint;
