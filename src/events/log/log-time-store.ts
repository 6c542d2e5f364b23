import type { Queries, Transaction } from '../../platform/index.ts';
import { getLogEnds, type LogEnd, type Unnumbered } from './log-store.ts';

/**
 * A turn is where the time in the log goes back by more than this, because the clock was set back. An event that
 * commits late is also older than the one before it, but by less.
 */
const TURN_MS = 60_000;
/** How many turns are read at most. In the month for which events are kept, a clock isn't set back more often. */
const MOST_TURNS = 100;

/** Finds the positions after which the clock was set back, among events that are added to the log. */
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

/** The first position, of those that aren't pruned, after which the clock was set back. 0 if there is none. */
export const getFirstTurn = async (queries: Queries): Promise<number> => {
  const { pruned } = await getLogEnds(queries);
  const sql = 'select position from event_log_turns where position > $1 order by position limit 1';
  return (await queries.get<{ position: number }>(sql, [pruned]))?.position ?? 0;
};

type Stretch = { after: number; upTo: number };

/**
 * Splits the log wherever the clock was set back. Within each part, events are in order of time, apart from those that
 * committed late.
 */
const listStretches = async (queries: Queries): Promise<Stretch[]> => {
  const { position, pruned } = await getLogEnds(queries);
  const turns = await queries.all<{ position: number }>(
    'select position from event_log_turns where position > $1 and position < $2 order by position desc limit $3',
    [pruned, position, MOST_TURNS],
  );
  const ends = [pruned, ...turns.map((turn) => turn.position).reverse(), position];
  return ends.slice(1).map((upTo, index) => ({ after: ends[index] ?? pruned, upTo }));
};

/** The position of the last event before a time, in one part of the log, by binary search. */
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
 * period may occur twice. The result then also includes the events in between.
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
