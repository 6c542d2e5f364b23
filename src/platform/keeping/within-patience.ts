import { DatabaseUnavailable } from '../database/database.ts';
import { within } from '../running/within.ts';

/** How long the database may take while someone, such as a caller on the line, is waiting for the answer. */
const PATIENCE_MS = 2_000;

const giveUp = (): never => {
  throw new DatabaseUnavailable('The database did not respond in time.');
};

/** Treats a database that doesn't respond in time as unavailable. If the work finishes later, it isn't undone. */
export const withinPatience = <Result>(work: Promise<Result>): Promise<Result> =>
  within(PATIENCE_MS, work, { onLate: giveUp, excuseStalls: true });
