import type { Database, Value } from '../../platform/index.ts';
import { REAL } from '../accounts/simulated-account-store.ts';
import type { CallRow } from '../calls/call-store.ts';

const PAGE = 2_000;

const SELECTED = `id, direction, outcome, from_hash, to_hash, started_at, answered_at, ended_at, talk_seconds,
  marked_returned_at, updated_at`;

type Scanned = [
  ...[id: string, direction: CallRow['direction'], outcome: CallRow['outcome']],
  ...[fromHash: string | null, toHash: string | null, startedAt: number, answeredAt: number | null],
  ...[endedAt: number | null, talkSeconds: number | null, markedReturnedAt: number | null, updatedAt: number],
];

const toPlainCall = ([id, direction, outcome, fromHash, toHash, startedAt, answeredAt, ...rest]: Scanned) => {
  const [endedAt, talkSeconds, markedReturnedAt, updatedAt] = rest;
  const times = { startedAt, answeredAt, endedAt, markedReturnedAt, updatedAt };
  return { id, direction, outcome, fromHash, toHash, talkSeconds, ...times };
};

/** A call without its caller and callee. */
export type PlainCall = ReturnType<typeof toPlainCall>;

/**
 * Reads all calls of a team except simulated ones, oldest first. Used to check a report, by counting its figures again
 * outside the database.
 */
export const readEveryCall = async function* (
  database: Pick<Database, 'scan'>,
  teamId: string,
): AsyncGenerator<PlainCall> {
  let after: Value[] = [Number.MIN_SAFE_INTEGER, ''];
  for (;;) {
    const page = await database.scan<Scanned>(
      `select ${SELECTED} from calls where team_id = $1 and (started_at, id) > ($2, $3) and ${REAL}
        order by started_at, id limit ${PAGE}`,
      [teamId, ...after],
    );
    const calls = page.map(toPlainCall);
    yield* calls;
    const last = calls.at(-1);
    if (!last) return;
    after = [last.startedAt, last.id];
  }
};

export const listEveryRecording = (database: Pick<Database, 'scan'>, teamId: string) =>
  database.scan<[state: string, createdAt: number]>(
    `select state, created_at from recordings where team_id = $1 and ${REAL}`,
    [teamId],
  );

export const listEveryRefusal = (database: Pick<Database, 'scan'>, teamId: string) =>
  database.scan<[piece: number, count: number]>(
    `select piece, count from telephony_refusals where team_id = $1 and ${REAL}`,
    [teamId],
  );
