import type { EventType, NewEvent } from '../../events/index.ts';
import type { Queries } from '../../platform/index.ts';
import type { TelephonyContext } from '../context.ts';
import { getRecording, type RecordingRow } from './recording-store.ts';
import { viewRecording } from './recording-view.ts';

/** Makes an event with the recording as the API returns it. Call it after the change. */
export const toRecordingEvent = async (
  { url }: Pick<TelephonyContext, 'url'>,
  queries: Queries,
  type: EventType,
  { teamId, id: subject }: Pick<RecordingRow, 'teamId' | 'id'>,
): Promise<NewEvent[]> => {
  const recording = await getRecording(queries, teamId, subject);
  if (!recording) return [];
  const view = await viewRecording(queries, recording);
  return [{ teamId, type, subject, data: { ...view, url: `${url}/api/recordings/${subject}` } }];
};
