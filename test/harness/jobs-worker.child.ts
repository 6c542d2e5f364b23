// A process that runs jobs, to be killed. It prints what it does.
import { setTimeout as sleep } from 'node:timers/promises';
import { openTestJobs } from './jobs.ts';
import { holdOnce, killProcess, settingsFrom, takeTime } from './jobs-process.ts';

const jobs = openTestJobs({ settings: settingsFrom(process.argv) }, { pollMs: 500 });
const tell = (line: string): void => void process.stdout.write(`${line}\n`);

jobs.handle(holdOnce, async (_payload, { attempt }) => {
  tell(`hold ${attempt}`);
  if (attempt === 1) await new Promise(() => undefined);
});
jobs.handle(killProcess, async () => {
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
});
jobs.handle(takeTime, async ({ ms }, { attempt }) => {
  tell(`begin ${ms} ${attempt}`);
  await sleep(ms);
  tell(`end ${ms} ${attempt}`);
});

process.once('SIGTERM', async () => {
  await jobs.stop({ drainMs: 10_000 });
  await jobs.database.close();
  tell('stopped');
});
jobs.start();
