// A process that runs jobs, to be killed. It prints what it does.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { openTestJobs } from './jobs.ts';
import { awaitWord, holdOnce, killProcess, settingsFrom } from './jobs-process.ts';

const jobs = openTestJobs({ settings: settingsFrom(process.argv) }, { pollMs: 500 });
const words = createInterface(process.stdin);
const tell = (line: string): void => void process.stdout.write(`${line}\n`);

jobs.handle(holdOnce, async (_payload, { attempt }) => {
  tell(`hold ${attempt}`);
  if (attempt === 1) await new Promise(() => undefined);
});
jobs.handle(killProcess, async () => {
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
});
jobs.handle(awaitWord, async ({ word }, { attempt }) => {
  tell(`begin ${word} ${attempt}`);
  for (let told = ''; told !== word; ) [told] = await once(words, 'line');
  tell(`end ${word} ${attempt}`);
});

process.once('SIGTERM', async () => {
  tell('stopping');
  await jobs.stop({ drainMs: 10_000 });
  await jobs.database.close();
  words.close();
  tell('stopped');
});
jobs.start();
