-- room: jobs
-- Jobs that wait for later are kept apart from those that are ready, so that looking for ready ones never reads the others. All
-- queued jobs start as not ready. The worker marks those that are due, a few at a time.
alter table jobs add column ready bigint not null default 0;
drop index jobs_due;
create index jobs_ready on jobs (name, behind, run_at) where state = 'queued' and ready = 1;
create index jobs_by_state on jobs (state, ready, run_at);
-- Jobs without a key don't need to be in it.
drop index jobs_unique_key;
create unique index jobs_unique_key on jobs (name, unique_key) where state <> 'dead' and unique_key is not null;
