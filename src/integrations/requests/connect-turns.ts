import { createCallerTurns } from '../../http/index.ts';
import { type Database, oncePer } from '../../platform/index.ts';
import { LIMITS } from '../limits.ts';

/** Limits requests that wait for a provider while a person waits for them, such as the end of a connect. */
export const connectTurnsIn = oncePer((_: Database) => createCallerTurns(LIMITS.connects));
