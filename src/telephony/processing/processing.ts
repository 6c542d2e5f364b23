import type { TelephonyContext } from '../context.ts';
import type { DeliveryRow } from './delivery-store.ts';
import type { ProcessingContext } from './process-batch.ts';
import { createProcessingThread, type ProcessingThreadSettings } from './processing-thread.ts';
import { createProcessor } from './processor.ts';
import { doAsManyWait } from './waiting-deliveries.ts';

/** From this many waiting deliveries on, a thread is worth starting. */
const MANY = 100;

/**
 * Turns deliveries into calls. A few at a time are assembled in this thread. Floods go to a separate thread, so that no
 * caller waits for someone else's call. Without `settings`, there is no separate thread.
 */
export const createProcessing = (
  context: ProcessingContext & Pick<TelephonyContext, 'onRecorded'>,
  settings: ProcessingThreadSettings | null,
) => {
  const here = createProcessor(context);
  const thread = settings && createProcessingThread(context, settings);

  return {
    add(row: DeliveryRow): void {
      const isFlood = thread?.isRunning() || here.countWaiting() >= MANY;
      if (thread && isFlood && thread.canRun()) thread.add(row);
      else here.add(row);
    },
    /** Processes deliveries that this or an earlier process left in the database. */
    async workOff(): Promise<void> {
      if (thread?.canRun() && (await doAsManyWait(context, MANY))) {
        try {
          return await thread.workOff();
        } catch (err) {
          context.log.warn({ err }, 'deliveries are processed without the processing thread');
        }
      }
      await here.workOff();
    },
    /** Resolves once every added delivery is processed. */
    async settle(): Promise<void> {
      await Promise.all([here.settle(), thread?.drain()]);
    },
    async close(): Promise<void> {
      // Unfinished deliveries stay in the database for the next process.
      await Promise.all([here.drain(), thread?.drain()]).catch(() => undefined);
      await thread?.close();
    },
  };
};

export type Processing = ReturnType<typeof createProcessing>;
