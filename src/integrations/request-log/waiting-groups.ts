import { callerKeyOf, type LoggedRequest, personKeyOf, type RequestSource } from './logged-request.ts';
import { addToGroup, hasRoom, type RequestGroup, startGroup } from './request-group.ts';

/** How many requests may wait while the database is away: in total, of one person, and of one caller. */
const MOST_WAITING = { total: 20_000, perPerson: 8_000, perCaller: 4_000 };

const sourceKeyOf = (source: RequestSource): string =>
  [source.teamId, source.connectionId, source.accountId, source.kind, source.userId, callerKeyOf(source)].join(' ');

/** Whose places a request takes while it waits. */
const waitersOf = (source: RequestSource): { key: string; most: number }[] => [
  { key: `${source.teamId} caller ${callerKeyOf(source)}`, most: MOST_WAITING.perCaller },
  { key: `${source.teamId} person ${personKeyOf(source)}`, most: MOST_WAITING.perPerson },
];

/** Requests that wait to be written, grouped by source. */
export const createWaitingGroups = () => {
  const open = new Map<string, RequestGroup>();
  const places = new Map<string, number>();
  let full: RequestGroup[] = [];
  let total = 0;

  const count = (source: RequestSource, number: number): void => {
    for (const { key } of waitersOf(source)) {
      const left = (places.get(key) ?? 0) + number;
      if (left > 0) places.set(key, left);
      else places.delete(key);
    }
    total += number;
  };

  return {
    /** Adds a request. Returns false if too many are waiting, and the request is lost. */
    add(source: RequestSource, request: LoggedRequest): boolean {
      const isFull = waitersOf(source).some(({ key, most }) => (places.get(key) ?? 0) >= most);
      if (isFull || total >= MOST_WAITING.total) return false;
      const key = sourceKeyOf(source);
      const known = open.get(key);
      const group = known && hasRoom(known, request.at) ? known : startGroup(source, request.at);
      if (known && known !== group) full.push(known);
      open.set(key, group);
      addToGroup(group, request);
      count(source, 1);
      return true;
    },
    /** Takes all groups. Their requests count as waiting until they are released. */
    take(): RequestGroup[] {
      const taken = [...full, ...open.values()];
      full = [];
      open.clear();
      return taken;
    },
    release(groups: readonly RequestGroup[]): void {
      for (const group of groups) count(group, -group.requests.length);
    },
    putBack(groups: readonly RequestGroup[]): void {
      full = [...groups, ...full];
    },
  };
};
