import { type Log, type Secret, translatePostgresqlError } from '../../platform/index.ts';
import { openPgBoss } from './open-pg-boss.ts';

/** In an exclusive queue, a key is unique among the jobs that haven't ended. */
export const QUEUE_OPTIONS = { policy: 'exclusive' } as const;

/** Creates queues, and the tables of pg-boss if there are none. */
export const createPgBossQueues = async (
  context: { url: Secret; log: Log },
  names: readonly string[],
): Promise<void> => {
  try {
    const boss = await openPgBoss(context);
    try {
      for (const name of names) await boss.createQueue(name, QUEUE_OPTIONS);
    } finally {
      await boss.stop({ graceful: false });
    }
  } catch (error) {
    throw translatePostgresqlError(error);
  }
};
