import type { Transaction } from '../platform/index.ts';
import type { JobsContext } from './context.ts';

/** If the clock has moved by more than this between two checks, it has jumped. Checks are minutes apart. */
const JUMP_MS = 3_600_000;
const LONGEST_WAIT_MS = 24 * 3_600_000;

export type Look = { seenAt: number; believedFrom: number };

/**
 * Decides from when on the clock is believed. After a jump ahead, the clock may be wrong, or the service may just not
 * have been running. We can't tell which, so we wait for a tenth of the jump, but at most a day. A clock that was set
 * back is believed at once, because that deletes nothing too early.
 */
export const lookAgain = (last: Look | undefined, now: number): Look => {
  const jump = last ? now - last.seenAt : 0;
  if (!last || jump < -JUMP_MS) return { seenAt: now, believedFrom: now };
  if (jump <= JUMP_MS) return { ...last, seenAt: now };
  return { seenAt: now, believedFrom: now + Math.min(LONGEST_WAIT_MS, jump / 10) };
};

const getLook = (tx: Transaction): Promise<Look | undefined> =>
  tx.get<Look>('select seen_at as "seenAt", believed_from as "believedFrom" from clock_looks where id = 1 for update');

const putLook = (tx: Transaction, { seenAt, believedFrom }: Look): Promise<number> =>
  tx.run(
    `insert into clock_looks (id, seen_at, believed_from) values (1, $1, $2)
      on conflict (id) do update set seen_at = excluded.seen_at, believed_from = excluded.believed_from`,
    [seenAt, Math.ceil(believedFrom)],
  );

/**
 * Whether the clock is believed, judging by the last check. For code that asks often: it doesn't check again. False if
 * the last check was over an hour ago: the clock has jumped since, or the service was stopped.
 */
export const wasBelieved = async ({ database }: Pick<JobsContext, 'database'>, now: number): Promise<boolean> =>
  (await database.get('select id from clock_looks where believed_from <= $1 and seen_at >= $2', [
    now,
    now - JUMP_MS,
  ])) !== undefined;

/** Tells jobs that delete old rows whether to believe the clock. Rows that a wrong clock deletes don't come back. */
export const createBelievedClock =
  ({ database, clock, log }: Pick<JobsContext, 'database' | 'clock' | 'log'>) =>
  (): Promise<boolean> =>
    database.transaction(async (tx) => {
      const now = clock.now();
      const last = await getLook(tx);
      const look = lookAgain(last, now);
      await putLook(tx, look);
      if (look.believedFrom > now && look.believedFrom !== last?.believedFrom)
        tx.afterCommit(() =>
          log.warn(
            { seenAt: last?.seenAt, now, deletesFrom: look.believedFrom },
            'the clock has jumped ahead, or the service was stopped; nothing is pruned for a while',
          ),
        );
      return look.believedFrom <= now;
    });
