-- room: jobs
-- What the clock said when pruning last looked, and from when on it is believed. See src/jobs/believed-clock.ts.
create table clock_looks (
  id bigint primary key check (id = 1),
  seen_at bigint not null,
  believed_from bigint not null
);
