import { callerKeyOf, type LoggedRequest, personKeyOf, type RequestSource } from './logged-request.ts';
import { addToGroup, hasRoom, type RequestGroup, startGroup } from './request-group.ts';

/** How many requests may wait while the database is away: in total, of one person, and of one caller. */
const MOST_WAITING = { total: 20_000, perPerson: 8_000, perCaller: 4_000 };

/** How many requests of one caller, or of one person, are waiting. */
type Places = { key: string; most: number; taken: number };

/** A group, and the two counts in which its requests are. */
export type WaitingGroup = { group: RequestGroup; places: readonly [Places, Places] };

const sourceKeyOf = (source: RequestSource): string => {
  const { teamId, connectionId, provider, connection, accountId, kind, userId, via, tokenId } = source;
  const which = connectionId === '' ? JSON.stringify([provider, connection]) : connectionId;
  return `${teamId} ${which} ${accountId} ${kind} ${userId} ${tokenId ?? via}`;
};

/**
 * Requests that wait to be written, grouped by source. Each request of the proxy passes through `add`, so a group
 * remembers its counts: looking them up costs more than the rest together.
 */
export const createWaitingGroups = () => {
  const open = new Map<string, WaitingGroup>();
  const counts = new Map<string, Places>();
  let full: WaitingGroup[] = [];
  let total = 0;

  const placesFor = (key: string, most: number): Places => counts.get(key) ?? { key, most, taken: 0 };

  const start = (source: RequestSource, now: number): WaitingGroup => ({
    group: startGroup(source, now),
    places: [
      placesFor(`${source.teamId} caller ${callerKeyOf(source)}`, MOST_WAITING.perCaller),
      placesFor(`${source.teamId} person ${personKeyOf(source)}`, MOST_WAITING.perPerson),
    ],
  });

  return {
    /** Adds a request. Returns false if too many are waiting, and the request is lost. */
    add(source: RequestSource, request: LoggedRequest): boolean {
      const key = sourceKeyOf(source);
      const known = open.get(key);
      const hasPlace = known && hasRoom(known.group, request.at);
      const waiting = hasPlace ? known : start(source, request.at);
      const [caller, person] = waiting.places;
      if (caller.taken >= caller.most || person.taken >= person.most || total >= MOST_WAITING.total) return false;
      if (waiting !== known) {
        if (known) full.push(known);
        open.set(key, waiting);
        for (const each of waiting.places) counts.set(each.key, each);
      }
      addToGroup(waiting.group, request);
      caller.taken++;
      person.taken++;
      total++;
      return true;
    },
    /** Takes all groups. Their requests count as waiting until they are released. */
    take(): WaitingGroup[] {
      const taken = [...full, ...open.values()];
      full = [];
      open.clear();
      return taken;
    },
    release(groups: readonly WaitingGroup[]): void {
      for (const { group, places } of groups) {
        total -= group.requests.length;
        for (const each of places) {
          each.taken -= group.requests.length;
          if (each.taken === 0) counts.delete(each.key);
        }
      }
    },
    putBack(groups: readonly WaitingGroup[]): void {
      full = [...groups, ...full];
    },
  };
};
