import type { Database, Value } from '../platform/index.ts';
import { PATIENCE_MS } from './call-figures-store.ts';
import type { CallRow } from './call-store.ts';

/** A call without its ends. */
export type PlainCall = Pick<
  CallRow,
  | 'id'
  | 'direction'
  | 'outcome'
  | 'fromHash'
  | 'toHash'
  | 'startedAt'
  | 'answeredAt'
  | 'endedAt'
  | 'talkSeconds'
  | 'markedReturnedAt'
> & { updatedAt: number };

const PAGE = 2_000;

const SELECTED = `id, direction, outcome, from_hash as "fromHash", to_hash as "toHash", started_at as "startedAt",
  answered_at as "answeredAt", ended_at as "endedAt", talk_seconds as "talkSeconds",
  marked_returned_at as "markedReturnedAt", updated_at as "updatedAt"`;

/** Every call that a team has ever had, oldest first, for whoever counts by hand: no condition but the team. */
export const readEveryCall = async function* (
  database: Pick<Database, 'scan'>,
  teamId: string,
): AsyncGenerator<PlainCall> {
  let after: Value[] = [Number.MIN_SAFE_INTEGER, ''];
  for (;;) {
    const page = await database.scan<PlainCall>(
      `select ${SELECTED} from calls where team_id = $1 and (started_at, id) > ($2, $3)
        order by started_at, id limit ${PAGE}`,
      [teamId, ...after],
      PATIENCE_MS,
    );
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = [last.startedAt, last.id];
  }
};

export const listEveryRecording = (database: Pick<Database, 'scan'>, teamId: string) =>
  database.scan<{ state: string; createdAt: number }>(
    'select state, created_at as "createdAt" from recordings where team_id = $1',
    [teamId],
    PATIENCE_MS,
  );

export const listEveryRefusal = (database: Pick<Database, 'scan'>, teamId: string) =>
  database.scan<{ piece: number; count: number }>(
    'select piece, count from telephony_refusals where team_id = $1',
    [teamId],
    PATIENCE_MS,
  );
