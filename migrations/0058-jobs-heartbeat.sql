-- room: jobs
-- The queue of both engines. Jobs that an earlier version left with pg-boss on PostgreSQL are carried over by the worker
-- (src/jobs/engine/pg-boss-jobs.ts). A process that runs jobs on PostgreSQL says when it last had this one.
alter table jobs add column heartbeat_at bigint;
