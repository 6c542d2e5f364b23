import { DatabaseUnavailable } from '../platform/index.ts';

/** A caller waits on the line meanwhile. */
const PATIENCE_MS = 2_000;

/** A database that does not answer in time is away. What it does after all is not undone. */
export const withinPatience = <Result>(work: Promise<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    const late = () => reject(new DatabaseUnavailable('The database did not answer in time.'));
    const timer = setTimeout(late, PATIENCE_MS).unref();
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
