import { hasOwnAccount } from '../accounts/simulated-account-store.ts';
import type { ListedCall } from '../calls/call-store.ts';
import { type CallSummary, toCallSummary } from '../calls/call-summary.ts';
import { listFirstCalls } from '../calls/first-call-store.ts';
import { toCaller } from '../calls/waiting-caller.ts';
import { countAttempts } from '../calls/waiting-caller-store.ts';
import type { TelephonyContext } from '../contract/context.ts';
import { listNewestArchived } from '../recordings/recording-store.ts';

/** Attempts and callers are counted up to this. */
export const MOST_COUNTED = 100;

/** A call as pages list it. */
export type ShownCall = CallSummary & {
  /** Its caller needs a call back. */
  isWaiting: boolean;
  /** How often its caller has called in vain since the team last spoke with them. 0 if nobody waits. */
  attempts: number;
  /** The first call with this caller. */
  isFirst: boolean;
  /** The newest that can be listened to. */
  recording: { id: string; durationMs: number | null } | null;
};

type ShowContext = Pick<TelephonyContext, 'database' | 'vault'>;

/** Nobody needs to call back a demo caller, once the team has an account of its own. */
const areDemosOver = async ({ database }: ShowContext, rows: readonly ListedCall[]): Promise<boolean> => {
  const demo = rows.find(({ simulated }) => simulated === 1);
  return demo !== undefined && hasOwnAccount(database, demo.teamId);
};

/** Of one team. */
export const toShownCalls = async (context: ShowContext, rows: readonly ListedCall[]): Promise<ShownCall[]> => {
  const { database, vault } = context;
  const isOver = await areDemosOver(context, rows);
  const calls = await Promise.all(
    rows.map(async (row) => {
      const summary = await toCallSummary(vault, row);
      const isWaiting = summary.isUntaken && summary.returnedAt === null && !(summary.isSimulated && isOver);
      return { row, summary, isWaiting };
    }),
  );
  const [attempts, recordings, first] = await Promise.all([
    countAttempts(
      database,
      calls.filter(({ isWaiting }) => isWaiting).map(({ row }) => toCaller(row)),
      MOST_COUNTED,
    ),
    listNewestArchived(
      database,
      rows.filter(({ recordedAt }) => recordedAt !== null),
    ),
    listFirstCalls(
      database,
      rows.filter(({ direction }) => direction === 'inbound'),
    ),
  ]);
  return calls.map(({ row, summary, isWaiting }) => ({
    ...summary,
    isWaiting,
    // A private number is a caller of its own each time.
    attempts: isWaiting ? attempts.get(row.fromHash ?? '') || 1 : 0,
    isFirst: first.has(row.id),
    recording: recordings.get(row.id) ?? null,
  }));
};
