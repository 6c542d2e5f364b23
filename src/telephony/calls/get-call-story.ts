import type { Database } from '../../platform/index.ts';
import type { CallEvent } from '../contract/call-event.ts';
import { callUnknown } from '../errors.ts';
import { listRecordingsOfCall, type RecordingRow } from '../recordings/recording-store.ts';
import { getCall, type ListedCall, listCallEvents } from './call-store.ts';

export type CallStory = {
  call: ListedCall;
  /** The keys of the events that decided the outcome. */
  evidence: readonly string[];
  events: CallEvent[];
  recordings: RecordingRow[];
};

/** A call with everything that happened to it, in order. */
export const getCallStory = async (
  { database }: { database: Database },
  teamId: string,
  id: string,
): Promise<CallStory> => {
  const call = await getCall(database, teamId, id);
  if (!call) throw callUnknown();
  const [events, recordings] = await Promise.all([
    listCallEvents(database, teamId, id),
    listRecordingsOfCall(database, teamId, call),
  ]);
  return { call, evidence: JSON.parse(call.evidence), events, recordings };
};
