// A command that enqueues a job and runs none. It closes its database without stopping the jobs.
import { openTestJobs } from './jobs.ts';
import { settingsFrom, takeTime } from './jobs-process.ts';

const jobs = openTestJobs({ settings: settingsFrom(process.argv) });
await jobs.database.transaction((tx) => jobs.enqueue(tx, takeTime, { ms: 1 }));
await jobs.database.close();
