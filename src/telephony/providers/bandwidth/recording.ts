import type { RecordingFact, TranscriptFact } from '../../contract/call-fact.ts';
import { type Delivery, stepOf } from '../../contract/delivery.ts';
import { toRecording, toTranscript } from '../../provider-parts/facts.ts';
import { type Fields, textOf, toChannels } from '../../provider-parts/values.ts';
import { durationMsOf, fieldsOf, instantOf } from './fields.ts';

/** Shortest recording that is treated as a message. In a shorter one, the caller hung up at the tone. */
const SHORTEST_MESSAGE_MS = 1_000;

/** Whether a delivery reports a message. Recordings of conversations aren't reported to a URL with this step. */
export const holdsMessage = (delivery: Delivery): boolean => {
  const fields = fieldsOf(delivery);
  return (
    stepOf(delivery) === 'voicemail' &&
    textOf(fields, 'status') !== 'error' &&
    (durationMsOf(fields) ?? 0) >= SHORTEST_MESSAGE_MS
  );
};

const statusOf = (fields: Fields): RecordingFact['status'] | null => {
  switch (fields['eventType']) {
    // The recording can't be fetched yet (docs: "Record Complete"; seen November 2026).
    case 'recordComplete':
      return 'in_progress';
    case 'recordingAvailable':
      return fields['status'] === 'error' ? 'failed' : 'available';
    default:
      return null;
  }
};

export const recordingsOf = (delivery: Delivery): RecordingFact[] => {
  const fields = fieldsOf(delivery);
  const recordingId = textOf(fields, 'recordingId');
  const status = statusOf(fields);
  if (recordingId === null || status === null) return [];
  const word = textOf(fields, 'status');
  return [
    toRecording({
      recordingId,
      status,
      callKey: textOf(fields, 'parentCallId') ?? textOf(fields, 'callId'),
      startedAt: instantOf(fields, 'startTime'),
      durationMs: durationMsOf(fields),
      channels: toChannels(fields['channels']),
      // `partial`: the recording is available, but parts are missing.
      errorCode: word === 'complete' ? null : word,
      mediaUrl: textOf(fields, 'mediaUrl'),
    }),
  ];
};

/** Reads that the text of a recording can be fetched. `transcription` has its status and URL. */
export const transcriptsOf = (delivery: Delivery): TranscriptFact[] => {
  const fields = fieldsOf(delivery);
  const recordingId = textOf(fields, 'recordingId');
  if (recordingId === null || fields['eventType'] !== 'transcriptionAvailable') return [];
  const told = fields['transcription'];
  const transcription = typeof told === 'object' && told !== null ? (told as Fields) : {};
  const url = textOf(transcription, 'url');
  return [
    toTranscript({
      recordingId,
      status: url !== null && textOf(transcription, 'status') === 'available' ? 'available' : 'failed',
      callKey: textOf(fields, 'parentCallId') ?? textOf(fields, 'callId'),
      text: null,
      url,
    }),
  ];
};
