import type { TelephonyContext } from '../context.ts';
import { settleOf } from '../recordings/settle-transcript.ts';
import { sealTranscript } from '../transcripts/seal-transcript.ts';
import type { TranscriptRow } from '../transcripts/transcript-store.ts';
import type { Transcription } from './read-transcription.ts';
import type { TranscriptionFailure } from './transcription-failure.ts';

type Name = Pick<TranscriptRow, 'teamId' | 'recordingId' | 'source'>;

/** Stores what a server answered. Nothing is stored if the recording was erased meanwhile. */
export const settleAnswer = async (
  context: TelephonyContext,
  { teamId, recordingId, source }: Name,
  answer: Transcription | TranscriptionFailure,
): Promise<void> => {
  const name = { teamId, recordingId };
  const told =
    'problem' in answer
      ? { state: 'failed' as const, content: null, language: null, problem: answer.problem }
      : {
          state: 'ready' as const,
          content: await sealTranscript(context.vault, name, answer.content),
          language: answer.language,
          problem: null,
        };
  await context.database.transaction((tx) => settleOf(context, tx, { ...name, source, ...told }));
};
