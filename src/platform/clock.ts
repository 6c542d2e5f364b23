/** The only source of time. Milliseconds since the epoch; tests hand in their own. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };

/** A time from a row as the API shows it. */
export const toIso = (ms: number): string => new Date(ms).toISOString();

export const toIsoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms));
