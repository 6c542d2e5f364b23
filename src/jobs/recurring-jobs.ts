import type { Transaction } from '../platform/index.ts';
import type { JobsContext } from './context.ts';
import type { JobDefinition } from './job-definition.ts';

/** `isOnTheClock`: runs at multiples of the interval, such as every full quarter hour. */
export type Interval = { everyMs: number; isOnTheClock?: boolean };

/** Returns the next time on the job's schedule after `now`. One run makes up for any number of missed ones. */
export const nextRunAt = (lastAt: number, everyMs: number, now: number): number =>
  lastAt + everyMs * (Math.floor((now - lastAt) / everyMs) + 1);

/**
 * Enqueues recurring jobs when they are due. If several processes find a job due, the one that moves its time forward
 * also enqueues it, in the same transaction.
 */
export const createRecurringJobs = (
  { database, clock, pause }: Pick<JobsContext, 'database' | 'clock' | 'pause'>,
  enqueue: (tx: Transaction, definition: JobDefinition) => Promise<unknown>,
) => {
  const recurring = new Map<string, Interval & { definition: JobDefinition }>();
  let announced = false;

  /**
   * Adds the times of new jobs, which are due immediately. If a job's interval has become shorter, its time becomes
   * earlier.
   */
  const announce = async (): Promise<void> => {
    const now = clock.now();
    for (const [name, { everyMs }] of recurring) {
      await database.run(
        `insert into recurring_jobs (name, next_at) values ($1, $2)
         on conflict (name) do update set next_at = $3 where recurring_jobs.next_at > $3`,
        [name, now, now + everyMs],
      );
    }
  };

  const list = () => database.all<{ name: string; next_at: number }>('select name, next_at from recurring_jobs');

  /**
   * Corrects times that are further ahead than the job's interval, because a clock ran ahead and was set back.
   * `announce` makes such times earlier.
   */
  const announceAgainAfterJump = async (now: number): Promise<void> => {
    const isTooFar = ({ name, next_at }: { name: string; next_at: number }): boolean =>
      next_at > now + (recurring.get(name)?.everyMs ?? Number.POSITIVE_INFINITY);
    if ((await list()).some(isTooFar)) await announce();
  };

  return {
    add: (definition: JobDefinition, interval: Interval): void => {
      recurring.set(definition.name, { definition, ...interval });
    },

    async enqueueDue(): Promise<void> {
      if (recurring.size === 0) return;
      if (!announced) await announce();
      announced = true;
      const now = clock.now();
      await announceAgainAfterJump(now);
      const due = (await list()).filter(({ next_at }) => next_at <= now);
      const isPaused = (await pause?.read()) != null;
      for (const { name, next_at } of due) {
        const job = recurring.get(name);
        // A job that is due during a pause runs once after it.
        if (!job || (isPaused && !job.definition.runsWhilePaused)) continue;
        await database.transaction(async (tx) => {
          const moved = await tx.run('update recurring_jobs set next_at = $3 where name = $1 and next_at = $2', [
            name,
            next_at,
            nextRunAt(job.isOnTheClock ? 0 : next_at, job.everyMs, now),
          ]);
          if (moved === 1) await enqueue(tx, job.definition);
        });
      }
    },
  };
};
