import type { ListedCall } from '../calls/call-store.ts';
import { type CallSummary, toCallSummary } from '../calls/call-summary.ts';
import { toCaller } from '../calls/waiting-caller.ts';
import { countAttempts } from '../calls/waiting-caller-store.ts';
import type { TelephonyContext } from '../contract/context.ts';
import { listNewestArchived } from '../recordings/recording-store.ts';

/** Attempts and callers are counted up to this. */
export const MOST_COUNTED = 100;

/** A call as pages list it. */
export type ShownCall = CallSummary & {
  /** How often its caller has called in vain since the team last spoke with them. 0 if the call was returned. */
  attempts: number;
  /** The newest that can be listened to. */
  recording: { id: string; durationMs: number | null } | null;
};

export const toShownCalls = async (
  { database, vault }: Pick<TelephonyContext, 'database' | 'vault'>,
  rows: readonly ListedCall[],
): Promise<ShownCall[]> => {
  const calls = await Promise.all(rows.map(async (row) => ({ row, summary: await toCallSummary(vault, row) })));
  const waiting = calls.filter(({ summary }) => summary.isUntaken && summary.returnedAt === null);
  const recorded = rows.filter(({ recordedAt }) => recordedAt !== null);
  const [attempts, recordings] = await Promise.all([
    countAttempts(
      database,
      waiting.map(({ row }) => toCaller(row)),
      MOST_COUNTED,
    ),
    listNewestArchived(database, recorded),
  ]);
  const attemptsOf = ({ row, summary }: (typeof calls)[number]): number =>
    // A private number is a caller of its own each time.
    summary.isUntaken && summary.returnedAt === null ? attempts.get(row.fromHash ?? '') || 1 : 0;
  return calls.map((call) => ({
    ...call.summary,
    attempts: attemptsOf(call),
    recording: recordings.get(call.row.id) ?? null,
  }));
};
