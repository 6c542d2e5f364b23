import type { ListedCall } from '../calls/call-store.ts';
import { type CallSummary, toCallSummaries } from '../calls/call-summary.ts';
import { listFirstCalls } from '../calls/first-call-store.ts';
import { toCaller } from '../calls/waiting-caller.ts';
import { countAttempts } from '../calls/waiting-caller-store.ts';
import type { TelephonyContext } from '../context.ts';
import { listNewestArchived } from '../recordings/recording-store.ts';
import { cutText } from '../transcripts/transcript.ts';
import { readHeard } from './shown-transcript.ts';

/** Limit up to which attempts and callers are counted. */
export const MOST_COUNTED = 100;

/** A call as pages list it. */
export type ShownCall = CallSummary & {
  /** How often the caller has called in vain since the team last spoke with them. 0 if no call back is needed. */
  attempts: number;
  /** Whether this is the first call with this caller. */
  isFirst: boolean;
  /** False for a demo call of a team that has an account of its own. */
  isCounted: boolean;
  /** The call's newest recording that can be listened to. */
  recording: { id: string; durationMs: number | null } | null;
  /** The beginning of what a machine heard in the call's recordings. */
  heard: string | null;
};

type ShowContext = Pick<TelephonyContext, 'database' | 'vault'>;

/** How much of what was said a list shows. */
const HEARD_CHARACTERS = 160;

/** Cuts what was said at a word, on one line. */
const cutHeard = (text: string | undefined): string | null => {
  if (!text) return null;
  const line = text.replaceAll('\n', ' ');
  if (line.length <= HEARD_CHARACTERS) return line;
  return `${cutText(line, HEARD_CHARACTERS).replace(/\s\S{0,30}$/, '')}…`;
};

/** Prepares calls of one team for a page. */
export const toShownCalls = async (
  { database, vault }: ShowContext,
  rows: readonly ListedCall[],
): Promise<ShownCall[]> => {
  const summaries = await toCallSummaries({ database, vault }, rows);
  const calls = summaries.flatMap((summary, index) => {
    const row = rows[index];
    return row ? [{ row, summary }] : [];
  });
  const [attempts, recordings, first, heard] = await Promise.all([
    countAttempts(
      database,
      calls.filter(({ summary }) => summary.isWaiting).map(({ row }) => toCaller(row)),
      MOST_COUNTED,
    ),
    listNewestArchived(
      database,
      rows.filter(({ recordedAt }) => recordedAt !== null),
    ),
    listFirstCalls(
      database,
      rows.filter((row) => row.direction === 'inbound' && row.counts === 1),
    ),
    readHeard(
      { database, vault },
      rows.filter(({ transcribedAt }) => transcribedAt !== null),
    ),
  ]);
  return calls.map(({ row, summary }) => ({
    ...summary,
    // A private number has no hash, so each call from one is treated as a caller of its own.
    attempts: summary.isWaiting ? attempts.get(row.fromHash ?? '') || 1 : 0,
    isFirst: first.has(row.id),
    isCounted: row.counts === 1,
    recording: recordings.get(row.id) ?? null,
    heard: cutHeard(heard.get(row.id)),
  }));
};
