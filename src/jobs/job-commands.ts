import { type Command, CommandRefused, printTable, toIso } from '../platform/index.ts';
import type { Jobs } from './jobs.ts';

const MOST_LISTED = 200;

export const jobCommands = (open: () => Promise<{ jobs: Jobs }>): Command[] => [
  {
    name: 'jobs count',
    about: 'Counts queued, running, and failed jobs.',
    async run() {
      const counts = await (await open()).jobs.count();
      const rows = Object.entries(counts).map(([state, count]) => [state, String(count ?? 'none')]);
      return { text: printTable(['jobs', 'count'], rows), json: counts };
    },
  },
  {
    name: 'jobs dead',
    about: 'Lists failed jobs, with their last error.',
    async run() {
      const dead = await (await open()).jobs.listDead(MOST_LISTED);
      const rows = dead.map(({ id, name, attempts, diedAt, lastError }) => [
        id,
        name,
        String(attempts),
        toIso(diedAt),
        lastError ?? '',
      ]);
      const json = dead.map((job) => ({ ...job, createdAt: toIso(job.createdAt), diedAt: toIso(job.diedAt) }));
      return { text: printTable(['id', 'name', 'attempts', 'failed', 'last error'], rows), json: { dead: json } };
    },
  },
  {
    name: 'jobs retry',
    about: 'Retries a failed job, or "all" of them.',
    words: ['id'],
    async run({ words: [id = ''] }) {
      const retried = await (await open()).jobs.retryDead(id);
      if (retried === 0 && id !== 'all')
        throw new CommandRefused('There is no such failed job. Run "jobs dead" to list them.');
      return { text: `Queued again: ${retried}.`, json: { retried } };
    },
  },
];
