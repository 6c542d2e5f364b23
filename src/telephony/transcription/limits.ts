const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;

/** What a transcript may cost. How many are made at once is in `transcribe-recording.job.ts`. */
export const LIMITS = {
  /** Limit for the audio of one recording. It's the limit of OpenAI's API, and a day of calls is far smaller as MP3. */
  audioBytes: 25 * MIB,
  /** Limit for the response. An hour of talk with segments takes about a fifth of it. */
  responseBytes: MIB,
  /** Time for sending the audio and getting the words. */
  requestMs: 10 * MINUTE_MS,
  /** Time for fetching a transcript from a telephony provider. */
  fetchMs: MINUTE_MS,
  /** How long a server that's away is asked again. */
  givenUpAfterMs: 24 * 60 * MINUTE_MS,
  /** Limits of the delay between two attempts. It's as long as the transcript has waited so far. */
  leastDelayMs: 30_000,
  mostDelayMs: 30 * MINUTE_MS,
  /** The same after an attempt that took very long. */
  mostDelayAfterTimeoutMs: 6 * 60 * MINUTE_MS,
  /** How long a recording waits for its call. */
  callUnknownMs: 60 * MINUTE_MS,
} as const;
