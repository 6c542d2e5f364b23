import type { CallEnds, CallFact, RecordingFact, TranscriptFact } from '../contract/call-fact.ts';

/** Returns when a fact happened: as the provider says, or else when we received it. */
export const happened = (toldAt: number | null, receivedAt: number): Pick<CallFact, 'occurredAt' | 'timeFrom'> =>
  toldAt === null ? { occurredAt: receivedAt, timeFrom: 'received' } : { occurredAt: toldAt, timeFrom: 'provider' };

export const talked = (talkSeconds: number | null): Pick<CallFact, 'talkSeconds'> =>
  talkSeconds === null ? {} : { talkSeconds };

/** For a delivery about a dialed leg, which says only which call the leg belongs to, but not who called whom. */
export const partOfCall = (callKey: string): CallEnds => ({ callKey, direction: null, from: null, to: null });

/** Makes a recording event. Fields that the provider doesn't send are null. */
export const toRecording = (
  told: Pick<RecordingFact, 'recordingId' | 'status' | 'callKey' | 'mediaUrl'> & Partial<RecordingFact>,
): RecordingFact => ({
  startedAt: null,
  durationMs: null,
  channels: null,
  source: null,
  errorCode: null,
  mediaExpiresAt: null,
  ...told,
});

/** Makes a fact about a transcript. A text that isn't ready, or is empty, is none. */
export const toTranscript = ({
  text,
  ...told
}: Pick<TranscriptFact, 'recordingId' | 'status' | 'callKey' | 'text'> & Partial<TranscriptFact>): TranscriptFact => {
  const isReady = told.status === 'ready' && text !== null && text.trim() !== '';
  const status = told.status === 'ready' && !isReady ? 'failed' : told.status;
  return { language: null, url: null, ...told, status, text: isReady ? text : null };
};

/** What a transcript says about its recording: that there is one. It may be the first to say so. */
export const announcedBy = ({ recordingId, callKey }: TranscriptFact): RecordingFact =>
  toRecording({ recordingId, callKey, status: 'in_progress', mediaUrl: null });
