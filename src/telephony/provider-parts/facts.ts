import type { CallEvent, CallFacts, RecordingEvent } from '../contract/call-event.ts';

/** Returns when an event happened: as the provider says, or else when it was received. */
export const happened = (toldAt: number | null, receivedAt: number): Pick<CallEvent, 'occurredAt' | 'timeFrom'> =>
  toldAt === null ? { occurredAt: receivedAt, timeFrom: 'received' } : { occurredAt: toldAt, timeFrom: 'provider' };

export const talked = (talkSeconds: number | null): Pick<CallEvent, 'talkSeconds'> =>
  talkSeconds === null ? {} : { talkSeconds };

/** Makes the facts of a delivery about a dialed leg. It names the call, but neither of its ends. */
export const partOfCall = (callKey: string): CallFacts => ({ callKey, direction: null, from: null, to: null });

/** Makes a recording event. Fields that the provider doesn't send are null. */
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
