import type { CallEvent, CallFacts, RecordingEvent } from '../contract/call-event.ts';

/** When it happened: as the provider says, else when we received it. */
export const happened = (toldAt: number | null, receivedAt: number): Pick<CallEvent, 'occurredAt' | 'timeFrom'> =>
  toldAt === null ? { occurredAt: receivedAt, timeFrom: 'received' } : { occurredAt: toldAt, timeFrom: 'provider' };

export const talked = (talkSeconds: number | null): Pick<CallEvent, 'talkSeconds'> =>
  talkSeconds === null ? {} : { talkSeconds };

/** A delivery about a dialed leg says which call it belongs to, and nothing about its two ends. */
export const partOfCall = (callKey: string): CallFacts => ({ callKey, direction: null, from: null, to: null });

/** What a provider doesn't say about a recording is null. */
export const toRecording = (
  told: Pick<RecordingEvent, 'recordingId' | 'status' | 'callKey' | 'mediaUrl'> & Partial<RecordingEvent>,
): RecordingEvent => ({
  startedAt: null,
  durationMs: null,
  channels: null,
  source: null,
  errorCode: null,
  mediaExpiresAt: null,
  ...told,
});
