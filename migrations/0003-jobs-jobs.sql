-- room: jobs
-- The queue of the embedded engine. On PostgreSQL, pg-boss keeps the queue in its own schema and this table stays empty.
-- A job that is done leaves no row; one that used up its attempts stays as dead, with its last error. `behind` is how many
-- jobs of the same team were waiting when it was enqueued: teams take turns.
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
  last_error text,
  behind bigint not null default 0
);
create unique index jobs_unique_key on jobs (name, unique_key) where state <> 'dead';
create index jobs_dead on jobs (died_at) where state = 'dead';
create index jobs_due on jobs (name, behind, run_at, id) where state = 'queued';

-- When each recurring job is due next, on either engine. Whoever moves next_at forward enqueues the job.
create table recurring_jobs (
  name text primary key,
  next_at bigint not null
);
