import type { Queries } from '../../platform/index.ts';
import type { Event } from './event.ts';
import type { EventFilter } from './event-filter.ts';
import { EVENT_COLUMNS } from './event-store.ts';

/** A part of the log: after one position, up to another, oldest first. An event is read if one of the filters fits. */
export type LogRange = { after: number; upTo: number; limit: number; filters: readonly EventFilter[] };

/** Repeats the last item until there are 1, 2, 4, 8, … */
const pad = <Item>(items: readonly Item[]): Item[] => {
  const missing = 2 ** Math.ceil(Math.log2(items.length)) - items.length;
  return [...items, ...items.slice(-1).flatMap((last) => Array<Item>(missing).fill(last))];
};

/** The columns that a filter compares, with their values. */
const fieldsOf = (filter: EventFilter): [column: string, value: string][] =>
  Object.entries(filter).filter(([, value]) => typeof value === 'string');

/**
 * Pads the filters of each kind, so that there are only a few different statements. The database keeps each of them
 * prepared.
 */
const padFilters = (filters: readonly EventFilter[]): EventFilter[] =>
  [
    ...Map.groupBy(filters, (filter) =>
      fieldsOf(filter)
        .map(([column]) => column)
        .join(),
    ).values(),
  ].flatMap(pad);

/**
 * SQL: the first `$3` positions after `$1`, up to `$2`, of events that a filter fits. Compares and orders by all columns
 * of an index, even though all but the last are the same. Otherwise, PostgreSQL may read the log from its beginning, in
 * the hope that what it looks for comes soon.
 */
const selectPositions = (filter: EventFilter, add: (value: string) => string): string => {
  if ('leavingOut' in filter) {
    const others = filter.leavingOut.map((type) => `and type <> ${add(type)}`).join(' ');
    return `provider is null ${others} and position > $1 and position <= $2 order by provider, position limit $3`;
  }
  const fields = fieldsOf(filter);
  const columns = [...fields.map(([column]) => column), 'position'].join(', ');
  const values = fields.map(([, value]) => add(value)).join(', ');
  // The index by topic has only events with a provider.
  const indexed = fields.length > 1 ? 'provider is not null and' : '';
  return `${indexed} (${columns}) > (${values}, $1) and (${columns}) <= (${values}, $2) order by ${columns} limit $3`;
};

/**
 * Lists the first `limit` events in a range. Finds the first positions of each filter in an index, and reads only the
 * events at the lowest ones. So a rare type is found without reading the other events, however many.
 */
const listRange = (
  queries: Queries,
  teamId: string | null,
  { after, upTo, limit, filters }: LogRange,
): Promise<Event[]> => {
  if (filters.length === 0) return Promise.resolve([]);
  const values: (string | number)[] = [after, upTo, limit];
  const add = (value: string): string => `$${values.push(value)}`;
  const whose = `${teamId === null ? 'team_key is not null' : `team_id = ${add(teamId)}`} and position is not null`;
  const positions = padFilters(filters).map(
    (filter) =>
      `select position from (select position from events where ${whose} and ${selectPositions(filter, add)}) of_one`,
  );
  return queries.all<Event>(
    `select ${EVENT_COLUMNS} from events where ${whose} and position in
      (select position from (${positions.join(' union ')}) of_all order by position limit $3)
      order by position limit $3`,
    values,
  );
};

export const listEventsOfTeam = (queries: Queries, teamId: string, range: LogRange): Promise<Event[]> =>
  listRange(queries, teamId, range);

export const listEventsOfCustomers = (queries: Queries, range: LogRange): Promise<Event[]> =>
  listRange(queries, null, range);
