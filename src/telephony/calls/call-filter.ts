import type { Queries, Value } from '../../platform/index.ts';
import type { Direction } from '../contract/call-fact.ts';
import type { CallOutcome } from './call.ts';
import type { CallRow } from './call-store.ts';

export type CallPlace = Pick<CallRow, 'startedAt' | 'id'>;

export type CallFilter = {
  fromHash?: string;
  toHash?: string;
  direction?: Direction;
  outcome?: CallOutcome;
  /** Only calls that were neither answered nor returned. */
  waiting?: boolean;
  /** Earliest start, included. */
  since?: number;
  /** Latest start, not included. */
  until?: number;
  /** The last call of the previous page. */
  after?: CallPlace;
};

/** Which calls to list, and how many. */
export type Wish = { teamId: string; filter: CallFilter; limit: number };

/** SQL text with a `?` for each of the values, in order. */
export type Condition = { text: string; values: readonly Value[] };

export const join = (conditions: readonly Condition[], by = ' and '): Condition => ({
  text: conditions.map(({ text }) => text).join(by),
  values: conditions.flatMap(({ values }) => values),
});

export const ask = <Row extends object>(queries: Queries, { text, values }: Condition): Promise<Row[]> => {
  let place = 0;
  return queries.all<Row>(
    text.replaceAll('?', () => `$${++place}`),
    values,
  );
};

export const when = <Wanted extends Value>(value: Wanted | undefined, text: string): Condition[] =>
  value === undefined ? [] : [{ text, values: [value] }];

const at = ({ startedAt, id }: CallPlace, text: string): Condition => ({ text, values: [startedAt, id] });

export const numbersOf = ({ fromHash, toHash }: CallFilter): Condition[] => [
  ...when(fromHash, 'from_hash = ?'),
  ...when(toHash, 'to_hash = ?'),
];

/**
 * Conditions on the numbers, written as expressions so that no index is used for them. Otherwise, the database might
 * use the index for a number that has very many calls, and read all of them.
 */
export const checkNumbers = ({ fromHash, toHash }: CallFilter): Condition[] => [
  ...when(fromHash, "(from_hash || '') = ?"),
  ...when(toHash, "(to_hash || '') = ?"),
];

/**
 * Expression that the index `calls_kind` is made of. If the index were on the two columns, SQLite would prefer it to
 * the index on a caller's number.
 */
const KIND = "direction || ' ' || coalesce(outcome, '')";

/**
 * Condition for one direction and outcome, written as the expression of an index: `calls_from_kind` or `calls_to_kind`
 * if the filter has a number, else `calls_kind`. Calls without an outcome haven't ended. They are few, so `calls_kind`
 * is enough, and their numbers are checked call by call.
 */
export const isKind = (filter: CallFilter, direction: Direction, outcome: CallOutcome | null): Condition[] => {
  const { fromHash, toHash } = filter;
  const hash = fromHash ?? toHash;
  const column = fromHash === undefined ? 'to_hash' : 'from_hash';
  if (hash === undefined || outcome === null)
    return [{ text: `(${KIND}) = ?`, values: [`${direction} ${outcome ?? ''}`] }, ...checkNumbers(filter)];
  const text = `outcome is not null and (${column} || ' ' || direction || ' ' || outcome) = ?`;
  return [{ text, values: [`${hash} ${direction} ${outcome}`] }];
};

/**
 * Conditions on the start of a call. Each end of the period gets only the tighter of two conditions, because SQLite
 * uses only one of them with an index. When it had both, it used the wider one, and read a whole week of calls for each
 * window of a few hundred.
 */
export const inTime = ({ since, until, after }: CallFilter, oldest?: CallPlace): Condition[] => {
  const isAfter = after !== undefined && (until === undefined || after.startedAt < until);
  return [
    ...(oldest ? [at(oldest, '(started_at, id) >= (?, ?)')] : when(since, 'started_at >= ?')),
    ...(isAfter ? [at(after, '(started_at, id) < (?, ?)')] : when(until, 'started_at < ?')),
  ];
};

export const isOf = (teamId: string): Condition => ({ text: 'team_id = ?', values: [teamId] });
