import type { TelephonyContext } from '../context.ts';
import type { DeliveryRow } from './delivery-store.ts';
import type { ProcessingContext } from './process-batch.ts';
import { createProcessingThread, type ProcessingThreadSettings } from './processing-thread.ts';
import { createProcessor } from './processor.ts';
import { doAsManyWait } from './waiting-deliveries.ts';

/** From this many on, it pays to start a thread and hand deliveries over to it. */
const MANY = 100;

/**
 * Where deliveries become calls. A few at a time are assembled right here; floods go to a separate thread, so that no
 * caller waits for someone else's call. Without settings, everything is done in this one.
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
    /** Processes what this or an earlier process left in the database. */
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
    /** Resolves once everything added is done. */
    async settle(): Promise<void> {
      await Promise.all([here.settle(), thread?.drain()]);
    },
    async close(): Promise<void> {
      // Anything unfinished is in the database, for the next process.
      await Promise.all([here.drain(), thread?.drain()]).catch(() => undefined);
      await thread?.close();
    },
  };
};

export type Processing = ReturnType<typeof createProcessing>;
