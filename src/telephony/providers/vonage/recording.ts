import type { RecordingEvent } from '../../contract/call-event.ts';
import { callKeyOf, instantOf, textOf } from './fields.ts';
import type { Fields } from './strict-json.ts';

const MOST_MS = 7 * 24 * 3_600_000;

const durationOf = (startedAt: number | null, endedAt: number | null): number | null => {
  const duration = startedAt === null || endedAt === null ? -1 : endedAt - startedAt;
  return duration >= 0 && duration <= MOST_MS ? duration : null;
};

/** Names no leg: only the conversation says which call it belongs to. */
export const recordingOf = (fields: Fields): RecordingEvent | null => {
  const recordingId = textOf(fields, 'recording_uuid');
  if (recordingId === null || !('recording_url' in fields)) return null;
  const mediaUrl = textOf(fields, 'recording_url');
  const startedAt = instantOf(fields, 'start_time');
  const channels = Number(textOf(fields, 'channels'));
  return {
    recordingId,
    // An empty URL and zero bytes have been seen (vonage-node-sdk#132).
    status: mediaUrl === null || textOf(fields, 'size') === '0' ? 'absent' : 'available',
    callKey: callKeyOf(fields),
    startedAt,
    durationMs: durationOf(startedAt, instantOf(fields, 'end_time')),
    channels: channels === 1 || channels === 2 ? channels : null,
    source: null,
    errorCode: null,
    mediaUrl,
    mediaExpiresAt: null,
  };
};
