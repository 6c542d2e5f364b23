-- room: teams
-- When someone first gave the team its name or time zone. Until then, its admins are welcomed and asked. Teams from before
-- this are long past it.
alter table teams add column welcomed_at bigint;
update teams set welcomed_at = created_at;
