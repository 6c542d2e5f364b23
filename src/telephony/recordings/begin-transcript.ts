import type { Queries, Transaction } from '../../platform/index.ts';
import { findNumberOfCall } from '../accounts/number-store.ts';
import { openAnswer } from '../accounts/open-number.ts';
import type { TelephonyContext } from '../context.ts';
import type { Transcribe } from '../contract/answer-settings.ts';
import { queueTranscription } from '../transcripts/transcribe-recording.job.ts';
import { insertWaitingTranscript } from '../transcripts/transcript-store.ts';
import type { RecordingRow } from './recording-store.ts';

/** How soon to look again if a recording came before its call. */
const CALL_UNKNOWN_MS = 15_000;

/**
 * Finds how the recordings of a call's number are transcribed. `unknown`: what says so may be on its way. The number may
 * have been changed since the call, and the setting of today counts.
 */
export const findTranscribe = async (
  { vault }: Pick<TelephonyContext, 'vault'>,
  queries: Queries,
  { teamId, accountId, callKey }: Pick<RecordingRow, 'teamId' | 'accountId' | 'callKey'>,
): Promise<Transcribe | 'unknown'> => {
  if (callKey === null) return 'off';
  const { known, number } = await findNumberOfCall(queries, { teamId, accountId, callKey });
  if (!known) return 'unknown';
  return number ? ((await openAnswer(vault, number, queries)).transcribe ?? 'off') : 'off';
};

/** Begins the transcript of a recording in the transaction that archives it, if its number wants one of our own. */
export const beginTranscript = async (
  context: Pick<TelephonyContext, 'vault' | 'jobs' | 'clock' | 'transcriber'>,
  tx: Transaction,
  recording: Pick<RecordingRow, 'teamId' | 'id' | 'accountId' | 'callKey'>,
): Promise<void> => {
  if (!context.transcriber) return;
  const { teamId, id: recordingId } = recording;
  const wish = await findTranscribe(context, tx, recording);
  if (wish === 'unknown') await queueTranscription(context, tx, { teamId, recordingId, delayMs: CALL_UNKNOWN_MS });
  if (wish !== 'own') return;
  const now = context.clock.now();
  const begun = await insertWaitingTranscript(tx, { teamId, recordingId, source: 'own', now });
  if (begun > 0) await queueTranscription(context, tx, { teamId, recordingId });
};
