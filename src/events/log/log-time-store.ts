import type { Queries, Transaction } from '../../platform/index.ts';
import { getLogEnds, type LogEnd, type Unnumbered } from './log-store.ts';

/** Smaller steps back don't count as a turn: an event that commits late is a little older than the one before it. */
const TURN_MS = 60_000;
/** More often than a clock is set back in a month. */
const MOST_TURNS = 100;

/** Finds where the clock went back among the events after the end of the log. */
export const findTurns = (
  events: readonly Pick<Unnumbered, 'createdAt'>[],
  end: LogEnd,
): { turns: number[]; latest: number } => {
  let { latest } = end;
  const turns: number[] = [];
  for (const [index, { createdAt }] of events.entries()) {
    const isTurn = createdAt < latest - TURN_MS;
    if (isTurn) turns.push(end.position + index);
    latest = isTurn ? createdAt : Math.max(latest, createdAt);
  }
  return { turns, latest };
};

export const putTurns = (tx: Transaction, turns: readonly number[]): Promise<number> =>
  tx.runFrom(
    { columns: { position: 'bigint' }, rows: turns.map((position) => [position]) },
    'insert into event_log_turns (position) select position from rows where true on conflict do nothing',
  );

/** The position where the clock first went back, in what is left of the log. 0 if it never did. */
export const getFirstTurn = async (queries: Queries): Promise<number> => {
  const { pruned } = await getLogEnds(queries);
  const sql = 'select position from event_log_turns where position > $1 order by position limit 1';
  return (await queries.get<{ position: number }>(sql, [pruned]))?.position ?? 0;
};

type Stretch = { after: number; upTo: number };

/** The parts of the log that are each in order of time, apart from events that committed late. */
const listStretches = async (queries: Queries): Promise<Stretch[]> => {
  const { position, pruned } = await getLogEnds(queries);
  const turns = await queries.all<{ position: number }>(
    'select position from event_log_turns where position > $1 and position < $2 order by position desc limit $3',
    [pruned, position, MOST_TURNS],
  );
  const ends = [pruned, ...turns.map((turn) => turn.position).reverse(), position];
  return ends.slice(1).map((upTo, index) => ({ after: ends[index] ?? pruned, upTo }));
};

/** The last position in a stretch before a time, by binary search. */
const findLastBefore = async (queries: Queries, { after, upTo }: Stretch, at: number): Promise<number> => {
  let low = after;
  let high = upTo;
  while (low < high) {
    const middle = Math.floor((low + high) / 2) + 1;
    const row = await queries.get<{ position: number; createdAt: number }>(
      `select position, created_at as "createdAt" from events where position >= $1 and position <= $2
        order by position limit 1`,
      [middle, high],
    );
    if (row && row.createdAt < at) low = row.position;
    else high = middle - 1;
  }
  return low;
};

/**
 * The part of the log that contains all events of a period. Null if there are none. If the clock was set back, the
 * period may occur twice, and the result also includes the events in between.
 */
export const findPeriod = async (
  queries: Queries,
  { since, until }: { since: number; until: number },
): Promise<Stretch | null> => {
  const found: Stretch[] = [];
  for (const stretch of await listStretches(queries)) {
    const after = await findLastBefore(queries, stretch, since);
    const upTo = await findLastBefore(queries, stretch, until);
    if (after < upTo) found.push({ after, upTo });
  }
  const [first] = found;
  return first ? { after: first.after, upTo: found.at(-1)?.upTo ?? first.upTo } : null;
};
