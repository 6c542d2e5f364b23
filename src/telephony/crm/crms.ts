import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable } from '../../platform/index.ts';
import { createCallLogs } from './call-logs.ts';
import type { CrmsContext } from './context.ts';
import { createFollower } from './follow-calls.ts';
import { createLogging } from './log-calls-due.ts';
import { createNaming } from './name-callers-due.ts';

/** How often to look for what has happened, so that a caller has a name soon. */
const LOOK_EVERY_MS = 500;
const REST_MS = 5;

/** Names callers and logs calls, in the background. Every process does, but each number and call is handled by only one. */
export const createCrms = (context: CrmsContext) => {
  const logs = createCallLogs(context);
  const { log, pause } = context;
  const follow = createFollower(context);
  const naming = createNaming(context);
  const logging = createLogging(context);
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;

  const look = async (): Promise<void> => {
    if (await pause.read()) return;
    if (!(await follow())) return;
    void naming.work();
    await logging.work();
  };

  const lookOrWait = (): void => {
    looking ??= look()
      .catch((err) => {
        if (err instanceof DatabaseUnavailable) log.debug({ err }, 'callers and calls wait: no database');
        else log.warn({ err }, 'callers and calls wait');
      })
      .finally(() => {
        looking = null;
      });
  };

  const rest = async (): Promise<void> => {
    await naming.work();
    while (naming.isBusy()) await sleep(REST_MS);
    await logging.rest();
  };

  return {
    ...logs,
    /** Does everything that is due now, without the timer, and waits for it. */
    async settle(): Promise<void> {
      await look();
      await rest();
    },
    start(): void {
      timer ??= setInterval(lookOrWait, LOOK_EVERY_MS).unref();
    },
    async close(): Promise<void> {
      clearInterval(timer);
      naming.close();
      logging.close();
      await looking;
      await rest().catch(() => undefined);
    },
  };
};

export type Crms = ReturnType<typeof createCrms>;
