import { DatabaseUnavailable } from '../../platform/index.ts';

/** A caller is waiting on the line. */
const PATIENCE_MS = 2_000;
/** A timer later than this was delayed by our own process, and so was the database's response. */
const LATE_MS = 250;

/** A database that doesn't respond in time counts as unavailable. What it does later isn't undone. */
export const withinPatience = <Result>(work: Promise<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const beginToWait = (ms: number): void => {
      const due = performance.now() + ms;
      const giveUp = (): void => {
        const lateMs = performance.now() - due;
        if (lateMs > LATE_MS) beginToWait(lateMs);
        else reject(new DatabaseUnavailable('The database did not answer in time.'));
      };
      timer = setTimeout(giveUp, ms).unref();
    };
    beginToWait(PATIENCE_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
