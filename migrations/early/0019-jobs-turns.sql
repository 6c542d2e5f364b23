-- room: jobs
-- How many of the same team waited when the job came: teams take turns.
alter table jobs add column behind bigint not null default 0;
drop index jobs_due;
create index jobs_due on jobs (name, behind, run_at, id) where state = 'queued';
