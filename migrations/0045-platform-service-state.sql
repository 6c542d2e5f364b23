-- room: platform
-- What holds for the whole service, in one row. While it's paused, it serves and shows everything but contacts nobody.
create table service_state (
  id bigint primary key check (id = 1),
  paused_at bigint,
  paused_reason text
);
