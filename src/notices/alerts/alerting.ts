import { DatabaseUnavailable } from '../../platform/index.ts';
import { listNotWaiting } from '../../telephony/index.ts';
import type { NoticesContext } from '../context.ts';
import { queueNotices } from './queue-notices.ts';

/** How often to check for alerts: often enough that people are alerted within a minute. */
const LOOK_EVERY_MS = 1_000;

/** Checks for alerts to open, resolve, and send. Every process does, but each alert is handled by only one. */
export const createAlerting = (context: NoticesContext) => {
  const { database, log, pause } = context;
  const { alerts } = context.events;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;
  /** The endpoint whose alert was checked last. The next check continues with the endpoint after it. */
  let lastEndpoint = '';

  const look = async (): Promise<void> => {
    if (await pause.read()) return;
    await alerts.readLog((teamId, callIds) => listNotWaiting(database, teamId, callIds));
    lastEndpoint = await alerts.resolveEndpoints(lastEndpoint);
    await alerts.releaseHeld();
    await queueNotices(context);
  };

  const lookOrWait = (): void => {
    looking ??= look()
      .catch((err) => {
        if (err instanceof DatabaseUnavailable) log.debug({ err }, 'alerts are waiting: the database is unavailable');
        else log.warn({ err }, 'alerts are waiting');
      })
      .finally(() => {
        looking = null;
      });
  };

  return {
    /** Checks once, without the timer. */
    look,
    start(): void {
      timer ??= setInterval(lookOrWait, LOOK_EVERY_MS).unref();
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await looking;
    },
  };
};
