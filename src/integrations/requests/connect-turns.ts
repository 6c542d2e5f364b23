import { createCallerTurns } from '../../http/index.ts';
import { type Database, oncePer } from '../../platform/index.ts';
import { LIMITS } from '../limits.ts';

/** Turns for everything that finishes a connect, and asks the provider meanwhile. */
export const connectTurnsIn = oncePer((_: Database) => createCallerTurns(LIMITS.connects));
