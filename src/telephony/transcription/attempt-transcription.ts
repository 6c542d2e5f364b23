import type { TelephonyContext } from '../context.ts';
import { findTranscribe } from '../recordings/begin-transcript.ts';
import { toArchived } from '../recordings/open-audio.ts';
import { getRecording, lockUnerased, type RecordingRow } from '../recordings/recording-store.ts';
import {
  deleteTranscript,
  getTranscript,
  insertWaitingTranscript,
  noteTranscriptProblem,
  type TranscriptRow,
} from '../transcripts/transcript-store.ts';
import { askTranscriber } from './ask-transcriber.ts';
import { fetchTranscript } from './fetch-transcript.ts';
import { LIMITS } from './limits.ts';
import type { Transcription } from './read-transcription.ts';
import { settleAnswer } from './settle-answer.ts';
import { NO_SERVER, nextDelayMs, type TranscriptionFailure } from './transcription-failure.ts';

type Name = { teamId: string; recordingId: string };
type Attempt = Name & { lastAttempt: boolean; signal: AbortSignal };

/** When to try again. Null if there will be no further attempt. */
type Next = { delayMs: number } | null;

const OUR_FAULT: TranscriptionFailure = {
  problem: 'Something went wrong in Patchbay while the recording was transcribed.',
  outlook: 'final',
};

const getWaiting = async ({ database }: TelephonyContext, name: Name): Promise<TranscriptRow | null> => {
  const row = await getTranscript(database, name);
  return row?.state === 'waiting' ? row : null;
};

/** Begins the transcript of a recording that came before its call. Returns null if the recording has one already. */
const beginLate = async (context: TelephonyContext, { teamId, id: recordingId }: RecordingRow) => {
  const { database, clock } = context;
  const waiting = { teamId, recordingId, source: 'own' as const, now: clock.now() };
  await database.transaction(async (tx) => {
    if (await lockUnerased(tx, teamId, recordingId)) await insertWaitingTranscript(tx, waiting);
  });
  return getWaiting(context, { teamId, recordingId });
};

/**
 * Finds the transcript that our own server has to make, if the number still wants it. If that isn't known yet, returns
 * when to look again.
 */
const findOwn = async (
  context: TelephonyContext,
  recording: RecordingRow,
  found: TranscriptRow | null,
): Promise<TranscriptRow | Next> => {
  const { database, clock } = context;
  if (recording.state !== 'archived') return null;
  const wish = await findTranscribe(context, database, recording);
  const isYoung = clock.now() - (recording.archivedAt ?? 0) < LIMITS.callUnknownMs;
  if (wish === 'unknown') return isYoung ? { delayMs: LIMITS.leastDelayMs } : null;
  if (wish === 'own') return found ?? beginLate(context, recording);
  // The team has turned transcripts off since, so the audio isn't sent anymore.
  if (found) await deleteTranscript(database, found);
  return null;
};

const ask = async (
  context: TelephonyContext,
  recording: RecordingRow,
  waiting: TranscriptRow,
  { lastAttempt, signal }: Attempt,
): Promise<Transcription | TranscriptionFailure> => {
  try {
    if (waiting.source === 'provider') return await fetchTranscript(context, recording, waiting, signal);
    if (!context.transcriber) return NO_SERVER;
    return await askTranscriber(context, context.transcriber, toArchived(recording), signal);
  } catch (err) {
    if (!lastAttempt || signal.aborted) throw err;
    context.log.error({ err, recording: recording.id }, 'a recording could not be transcribed');
    return OUR_FAULT;
  }
};

/**
 * Makes the transcript of one recording, or fetches it from the provider. Safe to repeat: a recording that has one isn't
 * sent again. A server that fails is asked again, for a day. Nothing is stored if the recording is erased meanwhile.
 */
export const attemptTranscription = async (context: TelephonyContext, attempt: Attempt): Promise<Next> => {
  const { database, clock, log } = context;
  const { teamId, recordingId } = attempt;
  const recording = await getRecording(database, teamId, recordingId);
  if (!recording) return null;
  const found = await getWaiting(context, attempt);
  const waiting = found?.source === 'provider' ? found : await findOwn(context, recording, found);
  if (!waiting || 'delayMs' in waiting) return waiting;
  const answer = await ask(context, recording, waiting, attempt);
  if (!('problem' in answer)) {
    await settleAnswer(context, waiting, answer);
    return null;
  }
  const delayMs = nextDelayMs(answer, { createdAt: waiting.createdAt, now: clock.now() });
  if (delayMs === null) {
    log.warn({ recording: recordingId, problem: answer.problem }, 'a recording could not be transcribed');
    await settleAnswer(context, waiting, answer);
    return null;
  }
  await noteTranscriptProblem(database, attempt, answer.problem);
  return { delayMs };
};
