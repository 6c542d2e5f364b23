import { DatabaseUnavailable } from '../../platform/index.ts';
import { listNotWaiting } from '../../telephony/index.ts';
import type { NoticesContext } from '../context.ts';
import { queueNotices } from './queue-notices.ts';

/** Often enough to tell people within a minute. */
const LOOK_EVERY_MS = 1_000;

/** Looks for what people should be told. Every process does; what one has found, no other finds again. */
export const createAlerting = (context: NoticesContext) => {
  const { database, log, pause } = context;
  const { alerts } = context.events;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;
  /** About which endpoint an alert was looked at last. */
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
    /** One look. */
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
