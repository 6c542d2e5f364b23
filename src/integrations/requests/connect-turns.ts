import { createCallerTurns } from '../../http/index.ts';
import { type Database, oncePer } from '../../platform/index.ts';
import { LIMITS } from '../limits.ts';

/** Turns for requests during which a provider is asked while a person waits, such as the end of a connect. */
export const connectTurnsIn = oncePer((_: Database) => createCallerTurns(LIMITS.connects));
