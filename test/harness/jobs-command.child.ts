// A command that enqueues a job and works none. It closes its database, and leaves the jobs to themselves.
import { openTestJobs } from './jobs.ts';
import { settingsFrom, takeTime } from './jobs-process.ts';

const jobs = openTestJobs({ settings: settingsFrom(process.argv) });
await jobs.database.transaction((tx) => jobs.enqueue(tx, takeTime, { ms: 1 }));
await jobs.database.close();
