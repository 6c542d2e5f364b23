import type { Restriction } from '../../http/index.ts';
import type { TelephonyContext } from '../context.ts';
import { openTranscript } from '../transcripts/seal-transcript.ts';
import { hasTranscripts, listTranscriptsOfCalls } from '../transcripts/transcript-store.ts';
import { fold } from './fold.ts';

type Searched = { id: string; teamId: string; accountId: string; externalId: string };

/** Finds out which of these calls have a transcript with the text in it, by their IDs. */
export type FindHeard = (calls: readonly Searched[]) => Promise<ReadonlySet<string>>;

/** How many transcripts are read at once, because one of them can be long. */
const PIECE = 20;

const NOTHING: ReadonlySet<string> = new Set();

export const hearsNothing: FindHeard = async () => NOTHING;

/** Whether a caller may hear recordings, and so read what was said in them. */
export const mayHear = (restriction: Restriction | undefined): boolean =>
  !restriction || restriction.can.includes('recordings');

/**
 * Makes a search through what was said. Transcripts are sealed, so each has to be opened. A caller who may not hear
 * recordings finds nothing by what was said in them.
 */
export const createTranscriptSearch = async (
  { database, vault, turns }: Pick<TelephonyContext, 'database' | 'vault' | 'turns'>,
  teamId: string,
  text: string,
  hears: boolean,
): Promise<FindHeard> => {
  const words = fold(text.trim());
  if (!hears || words === '' || !(await hasTranscripts(database, teamId))) return hearsNothing;
  return async (calls) => {
    const found = new Set<string>();
    for (let from = 0; from < calls.length; from += PIECE) {
      const byCall = await listTranscriptsOfCalls(database, calls.slice(from, from + PIECE));
      for (const [callId, rows] of byCall)
        for (const row of rows) {
          await turns.wait();
          const content = await openTranscript(vault, row);
          if (content && fold(content.text).includes(words)) found.add(callId);
        }
    }
    return found;
  };
};
