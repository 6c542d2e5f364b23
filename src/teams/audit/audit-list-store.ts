import { BEFORE_IDS, type Queries, stopIfAbandoned, type Value } from '../../platform/index.ts';
import { userKeyOf } from '../records/user-store.ts';
import type { AuditActor, AuditEvent } from './audit-store.ts';

/** `actorKey` and `targetKey`: the user's ID in the operator's product. Null if the product didn't name this user. */
export type ListedEvent = AuditEvent & { actorKey: string | null; targetKey: string | null };

/** Which entries to list: those with IDs from `from` on, and below `before`. IDs sort by time. */
export type AuditSearch = {
  /** An actor: a user's ID, or one of `OTHER_ACTORS`. */
  who?: string | undefined;
  /** An action. */
  what?: string | undefined;
  from: string;
  before: string;
};

/** The actors that aren't users. */
export const OTHER_ACTORS = ['operator', 'command_line', 'service'] as const satisfies AuditActor['kind'][];

/** How many entries are looked at in one query, and in how many queries for a page, if each has to be checked. */
const STRETCH = 1_000;
const MOST_STRETCHES = 5;

const keyOf = (column: string): string =>
  `(select ${userKeyOf('u')} from users u where u.id = e.${column} and u.team_id = e.team_id)`;

const COLUMNS = `id, at, actor, actor_id as "actorId", ${keyOf('actor_id')} as "actorKey", action, target,
  ${keyOf('target')} as "targetKey", detail, address, request_id as "requestId"`;

type Condition = { column: 'actor' | 'actor_id' | 'action'; value: string };

const conditionsOf = ({ who, what }: AuditSearch): Condition[] => {
  const isOther = OTHER_ACTORS.some((actor) => actor === who);
  return [
    ...(who === undefined ? [] : [{ column: isOther ? 'actor' : 'actor_id', value: who } as const]),
    ...(what === undefined ? [] : [{ column: 'action', value: what } as const]),
  ];
};

/** The index of `actor` has only the entries of actors that aren't users, so the query has to say so. */
const indexed = ({ column }: Condition): string =>
  column === 'actor' ? "actor = $3 and actor <> 'user'" : `${column} = $3`;

/**
 * The IDs of entries, newest first. Only IDs, because an index has these: to read whole entries, PostgreSQL prefers to
 * go through the newest entries of all teams, even if this team's are old. And without a lower end, because for both
 * ends of a period, SQLite prefers the index of all the team's entries to that of the condition.
 */
const selectIds = (condition?: Condition): string =>
  `select id from audit_events where team_id = $1 and id < $2 ${condition ? `and ${indexed(condition)}` : ''} order by id desc`;

const selectEntries = (ids: string): string => `select ${COLUMNS} from audit_events e where id in (${ids})`;

type Found = { events: ListedEvent[]; end: string | null };

/** The last of the next `STRETCH` entries that match one condition. Null if there are fewer. */
const findEnd = async (queries: Queries, place: readonly Value[], condition: Condition): Promise<string | null> => {
  const text = `${selectIds(condition)} limit 1 offset ${STRETCH - 1}`;
  return (await queries.get<{ id: string }>(text, [...place, condition.value]))?.id ?? null;
};

/**
 * Goes through the entries that match the condition that leads further back, and checks the other one. So neither the
 * entries of a busy person nor a frequent action take long, unless both are.
 */
const listByBoth = async (
  queries: Queries,
  place: readonly Value[],
  [one, other]: readonly [Condition, Condition],
  limit: number,
): Promise<Found> => {
  const [endOfOne, endOfOther] = [await findEnd(queries, place, one), await findEnd(queries, place, other)];
  const isOne = (endOfOne ?? '') <= (endOfOther ?? '');
  const [by, checked, end] = isOne ? [one, other, endOfOne] : [other, one, endOfOther];
  const stretch = selectEntries(`${selectIds(by)} limit ${STRETCH}`);
  const text = `${stretch} and ${checked.column} = $4 order by id desc limit $5`;
  return { events: await queries.all<ListedEvent>(text, [...place, by.value, checked.value, limit]), end };
};

const listBelow = async (queries: Queries, teamId: string, search: AuditSearch, limit: number): Promise<Found> => {
  const place = [teamId, search.before];
  const [one, other] = conditionsOf(search);
  if (one && other) return listByBoth(queries, place, [one, other], limit);
  const text = `${selectEntries(`${selectIds(one)} limit ${one ? '$4' : '$3'}`)} order by id desc`;
  return { events: await queries.all(text, [...place, ...(one ? [one.value] : []), limit]), end: null };
};

/** Lists entries, newest first. `end` isn't null if it stopped there before the limit, and there may be more. */
export const listAuditEvents = async (
  queries: Queries,
  teamId: string,
  search: AuditSearch,
  limit: number,
): Promise<Found> => {
  const events: ListedEvent[] = [];
  let below: string | null = search.before;
  for (let stretch = 0; stretch < MOST_STRETCHES && below !== null && events.length < limit; stretch++) {
    stopIfAbandoned();
    const found = await listBelow(queries, teamId, { ...search, before: below }, limit - events.length);
    events.push(...found.events.filter(({ id }) => id >= search.from));
    below = found.end !== null && found.end > search.from ? found.end : null;
  }
  return { events, end: below };
};

/** Lists events with an action, newest first, starting before the given ID. */
export const listEventsByAction = async (
  queries: Queries,
  teamId: string,
  { action, before, limit }: { action: string; before: string; limit: number },
): Promise<ListedEvent[]> =>
  (await listAuditEvents(queries, teamId, { what: action, from: BEFORE_IDS, before }, limit)).events;
