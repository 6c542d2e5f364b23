-- room: teams
-- The team that an empty database was given. It isn't told by its id: ids follow the clock, which may be set back.
alter table teams add column is_first bigint not null default 0 check (is_first in (0, 1));
create unique index teams_first on teams (is_first) where is_first = 1;
update teams set is_first = 1 where id =
  (select id from teams where issuer is null and key is null order by id limit 1);
