/** The result of sending one event to one endpoint. */
export type SendAttempt = {
  at: number;
  /** Null if there was no response. */
  status: number | null;
  durationMs: number;
  /** Why the attempt failed, for people. Null if the event was accepted. */
  error: string | null;
  /** How long the receiver asked us to wait. */
  retryAfterMs: number | null;
};

export const isAccepted = ({ error }: Pick<SendAttempt, 'error'>): boolean => error === null;

const GONE = 410;

/** Whether the receiver responded with 410, which means that it wants no more events. */
export const isGone = ({ status }: SendAttempt): boolean => status === GONE;

/** If no event was accepted for this long, the endpoint is turned off. */
export const FAILING_MS = 5 * 24 * 3_600_000;
/** An endpoint is turned off only after attempts on this many days, in case the clock has jumped ahead. */
export const LEAST_DAYS_TRIED = 3;
