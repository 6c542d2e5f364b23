import type { EventType, NewEvent } from '../../events/index.ts';
import type { Queries } from '../../platform/index.ts';
import type { TelephonyContext } from '../context.ts';
import { getRecording, type RecordingRow } from './recording-store.ts';
import { viewRecording } from './recording-view.ts';

/** How many characters of a transcript an event contains. The recording itself has all of them. */
export const TOLD_CHARACTERS = 2_000;

/** Makes an event with the recording as the API returns it. Call it after the change. */
export const toRecordingEvent = async (
  { url, vault }: Pick<TelephonyContext, 'url' | 'vault'>,
  queries: Queries,
  type: EventType,
  { teamId, id: subject }: Pick<RecordingRow, 'teamId' | 'id'>,
): Promise<NewEvent[]> => {
  const recording = await getRecording(queries, teamId, subject);
  if (!recording) return [];
  const view = await viewRecording(vault, queries, recording, TOLD_CHARACTERS);
  return [{ teamId, type, subject, data: { ...view, url: `${url}/api/recordings/${subject}` } }];
};
