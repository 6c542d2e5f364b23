import { DatabaseUnavailable, within } from '../../platform/index.ts';

/** A caller is waiting on the line. */
const PATIENCE_MS = 2_000;

const giveUp = (): never => {
  throw new DatabaseUnavailable('The database did not respond in time.');
};

/** A database that doesn't respond in time counts as unavailable. What it does later isn't undone. */
export const withinPatience = <Result>(work: Promise<Result>): Promise<Result> =>
  within(PATIENCE_MS, work, { onLate: giveUp, excuseStalls: true });
