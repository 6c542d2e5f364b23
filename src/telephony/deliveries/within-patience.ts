import { DatabaseUnavailable } from '../../platform/index.ts';

/** A caller waits on the line meanwhile. */
const PATIENCE_MS = 2_000;
/** A timer that comes later than this was kept waiting by ourselves, and so was what the database has answered. */
const LATE_MS = 250;

/** A database that does not answer in time is away. What it does after all is not undone. */
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
