-- room: jobs
-- The queue of the embedded engine. On PostgreSQL pg-boss keeps the queue in its own schema and this table stays empty.
-- A job that is done leaves no row; one that used up its attempts stays as dead, with its last error.
create table jobs (
  id text primary key,
  name text not null,
  payload text not null,
  unique_key text,
  state text not null check (state in ('queued', 'active', 'dead')),
  attempts bigint not null,
  attempts_allowed bigint not null,
  created_at bigint not null,
  run_at bigint not null,
  taken_at bigint,
  died_at bigint,
  last_error text
);
create unique index jobs_unique_key on jobs (name, unique_key) where state <> 'dead';
create index jobs_due on jobs (name, run_at, id) where state = 'queued';
create index jobs_dead on jobs (died_at) where state = 'dead';

-- When each recurring job is due next, on either engine. Whoever moves next_at forward enqueues the job.
create table recurring_jobs (
  name text primary key,
  next_at bigint not null
);
