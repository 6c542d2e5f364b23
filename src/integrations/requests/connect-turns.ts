import { createCallerTurns } from '../../http/index.ts';
import { type Database, oncePer } from '../../platform/index.ts';
import { tooManyConnects } from '../errors.ts';

/**
 * For everything that finishes a connect, and asks the provider meanwhile. People have one or two at a time. Whoever
 * waits too long is refused before anything is used up, and can try again.
 */
export const turnsIn = oncePer((_: Database) =>
  createCallerTurns({
    atOnce: { member: 4, team: 8 },
    mostWaiting: { member: 20, team: 60 },
    mostWaitMs: 4_000,
    refuse: tooManyConnects,
  }),
);
