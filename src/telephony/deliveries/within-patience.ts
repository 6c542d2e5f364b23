import { DatabaseUnavailable, within } from '../../platform/index.ts';

/** How long the database may take, because a caller is waiting on the line. */
const PATIENCE_MS = 2_000;

const giveUp = (): never => {
  throw new DatabaseUnavailable('The database did not respond in time.');
};

/** Treats a database that doesn't respond in time as unavailable. If the work finishes later, it isn't undone. */
export const withinPatience = <Result>(work: Promise<Result>): Promise<Result> =>
  within(PATIENCE_MS, work, { onLate: giveUp, excuseStalls: true });
