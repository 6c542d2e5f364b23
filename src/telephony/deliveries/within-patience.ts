import { DatabaseUnavailable } from '../../platform/index.ts';

/** A caller is waiting on the line. */
const PATIENCE_MS = 2_000;
/** A timer later than this was delayed by our own process, and so was the database's response. */
const LATE_MS = 250;

/** A database that doesn't respond in time counts as unavailable. What it does later isn't undone. */
export const withinPatience = <Result>(work: Promise<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const beginToWait = (): void => {
      const due = performance.now() + PATIENCE_MS;
      const giveUp = (): void => {
        if (performance.now() > due + LATE_MS) beginToWait();
        else reject(new DatabaseUnavailable('The database did not answer in time.'));
      };
      timer = setTimeout(giveUp, PATIENCE_MS).unref();
    };
    beginToWait();
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
