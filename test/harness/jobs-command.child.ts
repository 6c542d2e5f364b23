// A command that enqueues a job and runs none. It closes its database without stopping the jobs.
import { openTestJobs } from './jobs.ts';
import { awaitWord, settingsFrom } from './jobs-process.ts';

const jobs = openTestJobs({ settings: settingsFrom(process.argv) });
await jobs.database.transaction((tx) => jobs.enqueue(tx, awaitWord, { word: '' }));
await jobs.database.close();
