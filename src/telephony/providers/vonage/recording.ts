import type { RecordingFact, TranscriptFact } from '../../contract/call-fact.ts';
import { toRecording, toTranscript } from '../../provider-parts/facts.ts';
import { type Fields, msBetween, toChannels } from '../../provider-parts/values.ts';
import { callKeyOf, instantOf, textOrNumberOf } from './fields.ts';

/** Reads a recording. The delivery names no leg, so only the conversation says which call it belongs to. */
export const recordingOf = (fields: Fields): RecordingFact | null => {
  const recordingId = textOrNumberOf(fields, 'recording_uuid');
  if (recordingId === null || !('recording_url' in fields)) return null;
  const mediaUrl = textOrNumberOf(fields, 'recording_url');
  const startedAt = instantOf(fields, 'start_time');
  return toRecording({
    recordingId,
    // Recordings with an empty URL or zero bytes have been seen (vonage-node-sdk#132).
    status: mediaUrl === null || textOrNumberOf(fields, 'size') === '0' ? 'absent' : 'available',
    callKey: callKeyOf(fields),
    startedAt,
    durationMs: msBetween(startedAt, instantOf(fields, 'end_time')),
    channels: toChannels(fields['channels']),
    mediaUrl,
  });
};

/** Reads that the text of a recording can be fetched. */
export const transcriptOf = (fields: Fields): TranscriptFact | null => {
  const recordingId = textOrNumberOf(fields, 'recording_uuid');
  if (recordingId === null || !('transcription_url' in fields)) return null;
  const url = textOrNumberOf(fields, 'transcription_url');
  return toTranscript({
    recordingId,
    status: url === null ? 'failed' : 'available',
    callKey: callKeyOf(fields),
    text: null,
    url,
  });
};
