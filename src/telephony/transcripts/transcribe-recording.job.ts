import { defineJob } from '../../jobs/index.ts';
import { type Transaction, Type } from '../../platform/index.ts';
import type { TelephonyContext } from '../context.ts';
import { countWaitingTranscripts } from './transcript-store.ts';

/**
 * Makes the transcript of a recording. A server that's away is asked again by a new job, for a day. These attempts are
 * for trouble of our own. The time limit covers sending the audio and waiting for the words.
 */
export const transcribeRecording = defineJob({
  name: 'transcribe-recording',
  payload: Type.Object({ teamId: Type.String(), recordingId: Type.String() }),
  attempts: 5,
  firstRetryMs: 30_000,
  concurrency: 3,
  timeoutMs: 12 * 60_000,
});

/** Limit up to which waiting transcripts are counted. A team with more is last anyway. */
const MOST_COUNTED = 1_000;

/** Queues a transcript. Teams take turns: those with more waiting transcripts go behind those with fewer. */
export const queueTranscription = async (
  { jobs }: Pick<TelephonyContext, 'jobs'>,
  tx: Transaction,
  { teamId, recordingId, delayMs = 0 }: { teamId: string; recordingId: string; delayMs?: number },
): Promise<void> => {
  const behind = await countWaitingTranscripts(tx, teamId, MOST_COUNTED);
  await jobs.enqueue(tx, transcribeRecording, { teamId, recordingId }, { behind, delayMs });
};
