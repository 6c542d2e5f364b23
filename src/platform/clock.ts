/** The only source of time, in milliseconds since the epoch. Tests pass their own. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };

/** Formats a time from a row as the API shows it. */
export const toIso = (ms: number): string => new Date(ms).toISOString();

export const toIsoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms));
