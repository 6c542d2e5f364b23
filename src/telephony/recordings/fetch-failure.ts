import { OutboundFailed, type OutboundReason, type OutboundResponse } from '../../platform/index.ts';
import { NotAudio } from '../audio/save-audio.ts';
import { printBytes } from '../budget/print-bytes.ts';

/**
 * Why a recording isn't here. `final`: trying again won't help. `again`: it may be there soon. `waits`: someone has to
 * do something first, so we check now and then. `unset`: the account lacks something. We check more often, because
 * that takes no request.
 */
export type FetchFailure = { problem: string; outlook: 'final' | 'again' | 'waits' | 'unset' };

/** Reasons after which trying again would end the same way, or might do harm. */
const FINAL: ReadonlySet<OutboundReason> = new Set([
  'bad_url',
  'bad_header',
  'refused_host',
  'refused_address',
  'redirect_refused',
  'too_large',
]);

export const missingFailure = (missing: string): FetchFailure => ({
  problem: `To fetch the recording, the telephony account needs ${missing}.`,
  outlook: 'unset',
});

export const ACCOUNT_REMOVED: FetchFailure = {
  problem: 'The telephony account was removed before the recording was fetched.',
  outlook: 'final',
};

export const LINK_ENDED: FetchFailure = {
  problem: "The provider's link expired before the recording was fetched.",
  outlook: 'final',
};

export const NOT_KEPT: FetchFailure = {
  problem: "The recording was fetched but couldn't be stored. The storage is full or unavailable.",
  outlook: 'waits',
};

/**
 * The team's recordings have reached their limit. There is room again once old ones are removed, or the operator raises
 * the limit.
 */
export const noRoomFailure = (mostBytes: number): FetchFailure => ({
  problem: `The team's recordings have reached their limit of ${printBytes(mostBytes)}. This one is fetched once there's room, if the provider still has it. Keep recordings for fewer days, or ask your Patchbay administrator to raise PATCHBAY_MAX_RECORDING_MIB.`,
  outlook: 'waits',
});

export const emptyFailure = (host: string): FetchFailure => ({
  problem: `The recording at ${host} is empty or not complete yet.`,
  outlook: 'again',
});

const failureOfStatus = (status: number, host: string): FetchFailure => {
  if (status === 401 || status === 403)
    return { problem: `${host} rejected the account's credentials (${status}).`, outlook: 'waits' };
  if (status === 404) return { problem: `${host} doesn't have the recording, or not yet (404).`, outlook: 'again' };
  if (status === 410) return { problem: `${host} says the recording is gone (410).`, outlook: 'final' };
  return { problem: `${host} returned ${status} instead of the recording.`, outlook: 'again' };
};

/** Judges the status and headers of a response. Returns null if the body may be the recording. */
export const fetchFailureOfResponse = (
  { status, headers }: Pick<OutboundResponse<unknown>, 'status' | 'headers'>,
  host: string,
): FetchFailure | null => {
  if (status !== 200) return failureOfStatus(status, host);
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    return { problem: `${host} sent the recording in an unsupported encoding.`, outlook: 'final' };
  return null;
};

/** Explains an error while fetching. Returns undefined if the error is our own fault. */
export const fetchFailureOfError = (error: unknown, host: string): FetchFailure | undefined => {
  if (error instanceof NotAudio) return { problem: `${host} sent something other than audio.`, outlook: 'final' };
  if (error instanceof OutboundFailed)
    return { problem: error.message, outlook: FINAL.has(error.reason) ? 'final' : 'again' };
  // A system error comes from the file being written: the disk is full or read-only.
  return error instanceof Error && 'syscall' in error ? NOT_KEPT : undefined;
};
