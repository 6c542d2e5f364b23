import { OutboundFailed, type OutboundReason } from '../../platform/index.ts';
import { printBytes } from '../budget/print-bytes.ts';
import { LIMITS } from './limits.ts';

/**
 * Why there is no transcript. `final`: asking again would end the same way. `again`: the server, or its settings, may be
 * right later. `slow`: the same, after an attempt that took very long.
 */
export type TranscriptionFailure = {
  problem: string;
  outlook: 'final' | 'again' | 'slow';
  /** When the server wants to be asked again. */
  retryAfterMs?: number | null;
};

const final = (problem: string): TranscriptionFailure => ({ problem, outlook: 'final' });
const again = (problem: string, retryAfterMs: number | null = null): TranscriptionFailure => ({
  ...{ problem, outlook: 'again', retryAfterMs },
});

export const AUDIO_TOO_LARGE = final(
  `The recording is larger than ${printBytes(LIMITS.audioBytes)}, so it wasn't sent to be transcribed.`,
);
export const NO_AUDIO = final("The recording's audio is missing, so there is nothing to transcribe.");
export const AUDIO_AWAY = again("The recording can't be read right now.");
export const NO_WORDS = final('The transcription server recognized no words.');
export const NOT_A_TRANSCRIPT = again('The transcription server sent something other than a transcript.');
export const NO_SERVER = final('This Patchbay has no transcription server anymore.');

/** Refusals after which the same audio would be refused again. */
const REFUSED_AUDIO: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** Explains a status other than 200. Wrong settings are asked again, too, because the operator may correct them. */
export const failureOfTranscriberStatus = (status: number, retryAfterMs: number | null): TranscriptionFailure => {
  if (REFUSED_AUDIO.has(status)) return final(`The transcription server refused the recording (${status}).`);
  if (status === 401 || status === 403) return again(`The transcription server refused our key (${status}).`);
  return again(`The transcription server responded with ${status}.`, retryAfterMs);
};

const FINAL: ReadonlySet<OutboundReason> = new Set(['bad_url', 'bad_header', 'refused_address', 'redirect_refused']);

/** Explains an error of the request. Undefined if the error is our own fault. The message never names the server. */
export const failureOfTranscriberError = (error: unknown): TranscriptionFailure | undefined => {
  if (!(error instanceof OutboundFailed)) return undefined;
  const { reason } = error;
  if (reason === 'too_large')
    return final(`The transcription server sent more than ${printBytes(LIMITS.responseBytes)}.`);
  if (reason === 'timeout') return { problem: 'The transcription server took too long.', outlook: 'slow' };
  if (reason === 'aborted') return AUDIO_AWAY;
  if (FINAL.has(reason)) return final("The transcription server's address can't be used.");
  return again("The transcription server can't be reached.");
};

/** Limits a delay, so that it neither floods the server nor ends after a day. */
export const nextDelayMs = (
  { outlook, retryAfterMs }: TranscriptionFailure,
  { createdAt, now }: { createdAt: number; now: number },
): number | null => {
  const waited = now - createdAt;
  const left = LIMITS.givenUpAfterMs - waited;
  if (outlook === 'final' || left <= 0) return null;
  const most = outlook === 'slow' ? LIMITS.mostDelayAfterTimeoutMs : LIMITS.mostDelayMs;
  const delay = Math.max(Math.min(most, Math.max(LIMITS.leastDelayMs, waited)), retryAfterMs ?? 0);
  // The last attempt is at the end of the day, even if the server asks for a longer pause.
  return Math.min(delay, Math.max(left, LIMITS.leastDelayMs));
};
