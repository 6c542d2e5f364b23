import { type Queries, stopIfAbandoned } from '../../platform/index.ts';
import type { Direction } from '../contract/call-fact.ts';
import {
  ask,
  type CallFilter,
  type CallPlace,
  type Condition,
  checkNumbers,
  inTime,
  isKind,
  isOf,
  join,
  numbersOf,
  type Wish,
  when,
} from './call-filter.ts';
import { type CallRow, LISTED, type ListedCall, listById, NEWEST_FIRST, STILL_WAITING } from './call-store.ts';
import { OUTCOMES } from './outcome-names.ts';
import { startCallerSearch } from './waiting-search-store.ts';

/** How calls are searched. `reach` uses an index to read only matching calls; `checked` is tested call by call. */
type Search = { reach: Condition[]; checked: Condition[] };

/**
 * Lists ways to search that find the same calls. With two numbers, there is one way for each, because it's unknown
 * which number has fewer calls.
 */
const searchesFor = (teamId: string, filter: CallFilter): Search[] => {
  const { direction, outcome, waiting } = filter;
  const numbers = numbersOf(filter);
  const rest = [
    ...when(direction, 'direction = ?'),
    ...when(outcome, 'outcome = ?'),
    ...(waiting ? [{ text: STILL_WAITING, values: [] }] : []),
  ];
  if (numbers.length > 0)
    return numbers.map((number) => ({ reach: [isOf(teamId), number], checked: [...checkNumbers(filter), ...rest] }));
  // Only inbound calls wait for a call back.
  const kind = waiting && outcome !== undefined ? isKind({}, 'inbound', outcome) : [];
  return [{ reach: [isOf(teamId), ...kind], checked: rest }];
};

/**
 * Limits that statements use. A limit is part of the statement's text, because with a parameter, PostgreSQL would plan
 * the statement each time, which takes as long as running it. There are few limits, because each statement stays
 * prepared.
 */
const SIZES = [31, 50, 101];
const sizeFor = (limit: number): number => SIZES.find((size) => size >= limit) ?? limit;

const listWhere = async <Row extends object>(
  queries: Queries,
  selected: string,
  conditions: readonly Condition[],
  limit: number,
): Promise<Row[]> => {
  const { text, values } = join(conditions);
  const statement = `select ${selected} from calls c where ${text} ${NEWEST_FIRST} limit ${sizeFor(limit)}`;
  return (await ask<Row>(queries, { text: statement, values })).slice(0, limit);
};

/** Returns the last call of a window of `count` calls, or undefined if there are fewer. */
const getPlace = async (queries: Queries, conditions: readonly Condition[], count: number) => {
  const { text, values } = join(conditions);
  const statement = `select started_at as "startedAt", id from calls c where ${text} ${NEWEST_FIRST} limit 1 offset ?`;
  const [place] = await ask<CallPlace>(queries, { text: statement, values: [...values, count - 1] });
  return place;
};

const DIRECTIONS: readonly Direction[] = ['inbound', 'outbound'];

/**
 * Lists calls with a direction or outcome. Each kind (a direction with an outcome) is read from its own part of an
 * index, so that a few matching calls are found quickly among many others. The calls are then read by id, in a
 * statement that is the same for all kinds.
 */
const listByKind = async <Row extends object>(
  queries: Queries,
  selected: string,
  { teamId, filter, limit }: Wish,
): Promise<Row[]> => {
  const { direction, outcome } = filter;
  const kinds = (direction ? [direction] : DIRECTIONS).flatMap((way) =>
    (outcome ? [outcome] : [...OUTCOMES, null]).map((end) => isKind(filter, way, end)),
  );
  const size = sizeFor(limit);
  const parts = kinds.map((kind): Condition => {
    const { text, values } = join([isOf(teamId), ...kind, ...inTime(filter)]);
    return {
      text: `select * from (select started_at, id from calls where ${text} ${NEWEST_FIRST} limit ${size}) part`,
      values,
    };
  });
  const { text, values } = join(parts, ' union all ');
  const newest = `select id from (${text}) parts ${NEWEST_FIRST} limit ${size}`;
  const found = await ask<{ id: string }>(queries, { text: newest, values });
  const ids = found.slice(0, limit).map(({ id }) => id);
  return listById<Row>(queries, { selected, teamId, ids });
};

/** How many calls one statement checks, even if few match. */
const WINDOW = { least: 250, most: 2_000 };

/** Checks some more calls. Returns all calls found once there are enough or no more to check, and null before that. */
type Step<Row> = (size: number) => Promise<Row[] | null>;

/** Searches one window of calls per step. Other work runs between the steps, even if there are a million calls. */
const startSearch = <Row extends object>(
  queries: Queries,
  selected: string,
  { reach, checked }: Search,
  { filter, limit }: Wish,
): Step<Row> => {
  const found: Row[] = [];
  let { after } = filter;
  return async (size) => {
    const rest = { ...filter, ...(after && { after }) };
    const oldest = await getPlace(queries, [...reach, ...inTime(rest)], size);
    const window = [...reach, ...inTime(rest, oldest), ...checked];
    found.push(...(await listWhere<Row>(queries, selected, window, limit - found.length)));
    after = oldest;
    return !oldest || found.length >= limit ? found : null;
  };
};

/**
 * Searches waiting calls by their callers. This is fast if few callers wait, because a caller usually has few calls.
 */
const startWaitingSearch = <Row extends object>(queries: Queries, selected: string, wish: Wish): Step<Row> => {
  const search = startCallerSearch(queries, wish);
  return async () => {
    const ids = await search();
    return ids && listById<Row>(queries, { selected, teamId: wish.teamId, ids });
  };
};

/**
 * Runs several searches, one step of each in turn, until one of them is done. The total time is at most that of the
 * fastest search, times the number of searches.
 */
const listChecked = async <Row extends object>(queries: Queries, selected: string, wish: Wish): Promise<Row[]> => {
  const { teamId, filter } = wish;
  const steps = searchesFor(teamId, filter).map((search) => startSearch<Row>(queries, selected, search, wish));
  if (filter.waiting && filter.direction !== 'outbound' && numbersOf(filter).length === 0)
    steps.push(startWaitingSearch<Row>(queries, selected, wish));
  for (let size = WINDOW.least; ; size = Math.min(size * 2, WINDOW.most))
    for (const step of steps) {
      stopIfAbandoned();
      const found = await step(size);
      if (found) return found;
    }
};

/** Lists calls, newest first. */
const listSelected = <Row extends object>(queries: Queries, selected: string, wish: Wish): Promise<Row[]> => {
  const { teamId, filter, limit } = wish;
  const numbers = numbersOf(filter);
  if (filter.waiting || numbers.length > 1) return listChecked<Row>(queries, selected, wish);
  if (filter.direction !== undefined || filter.outcome !== undefined) return listByKind<Row>(queries, selected, wish);
  return listWhere<Row>(queries, selected, [isOf(teamId), ...numbers, ...inTime(filter)], limit);
};

export const listCalls = (queries: Queries, teamId: string, filter: CallFilter, limit: number): Promise<ListedCall[]> =>
  listSelected<ListedCall>(queries, LISTED, { teamId, filter, limit });

/** What a text search reads of a call: the other party, and which of the team's numbers was called or calling. */
export type SealedCall = CallPlace &
  Pick<CallRow, 'teamId' | 'accountId' | 'externalId' | 'direction'> & {
    otherHash: string | null;
    otherParty: string | null;
    /** The hash of the team's own number. */
    ownHash: string | null;
  };

/** Columns of a `SealedCall`, for a statement in which `c` is the table `calls`. */
export const SEALED_CALL = `c.id, c.team_id as "teamId", c.account_id as "accountId", c.external_id as "externalId", c.direction,
  case when c.direction = 'inbound' then c.from_hash else c.to_hash end as "otherHash",
  case when c.direction = 'inbound' then c.from_party else c.to_party end as "otherParty",
  case when c.direction = 'inbound' then c.to_hash else c.from_hash end as "ownHash", c.started_at as "startedAt"`;

export const listSealedCalls = (
  queries: Queries,
  teamId: string,
  filter: CallFilter,
  limit: number,
): Promise<SealedCall[]> => listSelected<SealedCall>(queries, SEALED_CALL, { teamId, filter, limit });
