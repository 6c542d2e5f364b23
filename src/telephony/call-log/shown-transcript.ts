import type { TelephonyContext } from '../context.ts';
import { openTranscript } from '../transcripts/seal-transcript.ts';
import type { Segment } from '../transcripts/transcript.ts';
import {
  listTranscribedCalls,
  listTranscriptsOf,
  listTranscriptsOfCalls,
  type TranscriptRow,
} from '../transcripts/transcript-store.ts';

/** A transcript with everything that a call's page shows. */
export type ShownTranscript = Pick<TranscriptRow, 'state' | 'source' | 'language' | 'problem' | 'settledAt'> & {
  text: string | null;
  segments: readonly Segment[];
};

/** Opens the transcripts of these recordings, by recording. */
export const openTranscripts = async (
  { database, vault }: Pick<TelephonyContext, 'database' | 'vault'>,
  teamId: string,
  recordingIds: readonly string[],
): Promise<Map<string, ShownTranscript>> => {
  const shown = new Map<string, ShownTranscript>();
  for (const [id, row] of await listTranscriptsOf(database, teamId, recordingIds)) {
    const { state, source, language, problem, settledAt } = row;
    const content = state === 'ready' ? await openTranscript(vault, row) : null;
    shown.set(id, {
      ...{ state, source, language, problem, settledAt },
      ...{ text: content?.text ?? null, segments: content?.segments ?? [] },
    });
  }
  return shown;
};

type Named = { id: string; teamId: string; accountId: string; externalId: string };

/** Opens what was said in these calls, by call. The recordings of one call are in order, on lines of their own. */
export const readHeard = async (
  { database, vault }: Pick<TelephonyContext, 'database' | 'vault'>,
  calls: readonly Named[],
): Promise<Map<string, string>> => {
  const byCall = await listTranscriptsOfCalls(database, calls);
  const heard = new Map<string, string>();
  for (const [callId, rows] of byCall) {
    const texts = await Promise.all(rows.map(async (row) => (await openTranscript(vault, row))?.text ?? ''));
    heard.set(callId, texts.filter((text) => text !== '').join('\n'));
  }
  return heard;
};

/** Reads what was said in calls of which only the IDs are known, for alerts and reports. */
export const readHeardIn = async (
  context: Pick<TelephonyContext, 'database' | 'vault'>,
  teamId: string,
  callIds: readonly string[],
): Promise<Map<string, string>> => readHeard(context, await listTranscribedCalls(context.database, teamId, callIds));
