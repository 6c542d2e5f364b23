import { callerKeyOf, type LoggedRequest, type RequestSource } from './logged-request.ts';
import { addToGroup, hasRoom, type RequestGroup, startGroup } from './request-group.ts';

/** How many requests may wait while the database is away: in total, and of one caller. */
const MOST_WAITING = { total: 20_000, perCaller: 4_000 };

const sourceKeyOf = (source: RequestSource): string =>
  [source.teamId, source.connectionId, source.accountId, source.kind, source.userId, callerKeyOf(source)].join(' ');

const waiterOf = (source: RequestSource): string => `${source.teamId} ${callerKeyOf(source)}`;

/** Requests that wait to be written, grouped by source. */
export const createWaitingGroups = () => {
  const open = new Map<string, RequestGroup>();
  const ofCaller = new Map<string, number>();
  let full: RequestGroup[] = [];
  let total = 0;

  const count = (source: RequestSource, number: number): void => {
    const waiter = waiterOf(source);
    const left = (ofCaller.get(waiter) ?? 0) + number;
    if (left > 0) ofCaller.set(waiter, left);
    else ofCaller.delete(waiter);
    total += number;
  };

  return {
    /** Adds a request. Returns false if too many are waiting, and the request is lost. */
    add(source: RequestSource, request: LoggedRequest): boolean {
      const isFull = total >= MOST_WAITING.total || (ofCaller.get(waiterOf(source)) ?? 0) >= MOST_WAITING.perCaller;
      if (isFull) return false;
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
