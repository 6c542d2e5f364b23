import type { JobContext } from '../../jobs/index.ts';
import type { TelephonyContext } from '../context.ts';
import { queueTranscription, transcribeRecording } from '../transcripts/transcribe-recording.job.ts';
import { attemptTranscription } from './attempt-transcription.ts';

export const handleTranscribeRecording =
  (context: TelephonyContext) =>
  async (
    { teamId, recordingId }: { teamId: string; recordingId: string },
    { attempt, signal }: Pick<JobContext, 'attempt' | 'signal'>,
  ): Promise<void> => {
    const lastAttempt = attempt >= transcribeRecording.attempts;
    const next = await attemptTranscription(context, { teamId, recordingId, lastAttempt, signal });
    if (!next) return;
    await context.database.transaction((tx) =>
      queueTranscription(context, tx, { teamId, recordingId, delayMs: next.delayMs }),
    );
  };
