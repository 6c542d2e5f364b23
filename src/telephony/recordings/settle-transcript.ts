import type { Transaction } from '../../platform/index.ts';
import type { TelephonyContext } from '../context.ts';
import { type SettledTranscript, settleTranscript } from '../transcripts/transcript-store.ts';
import { toRecordingEvent } from './recording-event.ts';
import { lockUnerased } from './recording-store.ts';

/**
 * Stores how the transcript of a recording ended, and records `transcript.ready` once. If the recording is being erased,
 * nothing is stored: an erasure waits for this transaction, or this one sees that it has begun.
 */
export const settleOf = async (
  context: Pick<TelephonyContext, 'clock' | 'vault' | 'url' | 'record'>,
  tx: Transaction,
  settled: Omit<SettledTranscript, 'now'>,
): Promise<void> => {
  const { teamId, recordingId: id, state } = settled;
  if (!(await lockUnerased(tx, teamId, id))) return;
  const changed = await settleTranscript(tx, { ...settled, now: context.clock.now() });
  if (changed > 0 && state === 'ready')
    await context.record(tx, ...(await toRecordingEvent(context, tx, 'transcript.ready', { teamId, id })));
};
