import { DatabaseUnavailable, Secret } from '../../platform/index.ts';
import type { SealedColumn } from '../../vault/index.ts';
import type { IntegrationsContext } from '../context.ts';
import { limitRequests } from './limit-requests.ts';
import { callerKeyOf, type LoggedRequest, type RequestSource } from './logged-request.ts';
import { printRequests, type RequestGroup } from './request-group.ts';
import { groupRow, REQUEST_GROUPS, type StoredGroup } from './request-group-store.ts';
import { createWaitingGroups, type WaitingGroup } from './waiting-groups.ts';

/** How long a request waits to be written. What isn't written yet is lost in a crash. */
const WRITE_MS = 500;
const RETRY_MS = 1_000;
/** How many groups are written in one statement. */
const TOGETHER = 100;
/** After how many new requests of a team its limit is checked. */
const CHECK_EVERY = 5_000;

const placeOf = (id: string) => ({ record: `request_groups/${id}`, field: 'requests' });

export const SEALED_REQUESTS: SealedColumn = {
  table: 'request_groups',
  column: 'requests',
  placedBy: ['id'],
  placesOf: (id = '') => [placeOf(id)],
};

type LogContext = Pick<IntegrationsContext, 'database' | 'clock' | 'newId' | 'log' | 'vault'>;

/** Opens a group's requests. */
export const openRequests = async (
  { vault }: Pick<LogContext, 'vault'>,
  { teamId, id, requests }: Pick<StoredGroup, 'teamId' | 'id' | 'requests'>,
): Promise<string> => (await vault.open(teamId, placeOf(id), requests)).reveal();

const sealGroup = async ({ vault }: LogContext, group: RequestGroup): Promise<StoredGroup> => {
  const { requests, beganAt: _, characters: __, ...source } = group;
  const sorted = requests.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const [oldest, newest] = [sorted[0]?.id ?? '', sorted.at(-1)?.id ?? ''];
  return {
    ...source,
    id: newest,
    oldestId: oldest,
    caller: callerKeyOf(source),
    requests: await vault.seal(source.teamId, placeOf(newest), new Secret(printRequests(sorted))),
    number: sorted.length,
    failures: sorted.filter(({ failed }) => failed).length,
  };
};

/** Teams whose requests this process has counted since it started. Emptied when there are this many. */
const MOST_KNOWN = 10_000;

/** Checks the limit of each team whenever it has many new requests, and the first time after a start. */
const createLimiter = ({ database }: LogContext) => {
  const known = new Map<string, Map<string, number>>();

  const add = ({ teamId, caller, number }: StoredGroup): void => {
    const added = known.get(teamId);
    added?.set(caller, (added.get(caller) ?? 0) + number);
  };

  return async (groups: readonly StoredGroup[]): Promise<void> => {
    if (known.size >= MOST_KNOWN) known.clear();
    for (const group of groups) add(group);
    for (const teamId of new Set(groups.map((group) => group.teamId))) {
      const added = known.get(teamId);
      if (added && added.values().reduce((sum, number) => sum + number, 0) < CHECK_EVERY) continue;
      await limitRequests(database, teamId, added ?? new Map());
      known.set(teamId, new Map());
    }
  };
};

/**
 * Logs requests that used a connection's credential. They are collected in memory, grouped by source, and written
 * twice a second, so that no response waits for them. If the database is away, they wait, up to a limit.
 */
export const createRequestLog = (context: LogContext) => {
  const { database, clock, newId, log } = context;
  const limit = createLimiter(context);
  const waiting = createWaitingGroups();
  let lost = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const writeSoon = (ms: number): void => {
    timer ??= setTimeout(writeNext, ms).unref();
  };

  /** Seals a group. Null if that's impossible, because its team is gone or its key is missing. */
  const seal = (group: RequestGroup): Promise<StoredGroup | null> =>
    sealGroup(context, group).catch((err) => {
      if (err instanceof DatabaseUnavailable) throw err;
      log.warn({ err, team: group.teamId }, 'requests with connections were not logged');
      return null;
    });

  /** Writes groups. Returns false if the database is away. */
  const writeSome = async (groups: readonly WaitingGroup[]): Promise<boolean> => {
    try {
      const rows = (await Promise.all(groups.map(({ group }) => seal(group)))).filter((row) => row !== null);
      // A row is refused if its team has been erased meanwhile.
      const outcomes = await database.insertRows(REQUEST_GROUPS, rows.map(groupRow));
      await limit(rows.filter((_, index) => outcomes[index] === 'inserted'));
    } catch (err) {
      if (err instanceof DatabaseUnavailable) return false;
      log.warn({ err }, 'requests with connections were not logged');
    }
    return true;
  };

  const write = async (): Promise<void> => {
    timer = undefined;
    if (lost > 0) log.warn({ lost }, 'requests with connections were not logged: too many were waiting');
    lost = 0;
    const groups = waiting.take();
    while (groups.length > 0) {
      const some = groups.splice(0, TOGETHER);
      if (await writeSome(some)) {
        waiting.release(some);
        continue;
      }
      waiting.putBack([...some, ...groups]);
      return writeSoon(RETRY_MS);
    }
  };

  /** Starts a write after the previous one has ended, so that they don't overlap. */
  const writeNext = (): Promise<void> => {
    writing = writing.then(write);
    return writing;
  };

  return {
    add(source: RequestSource, request: Omit<LoggedRequest, 'id' | 'at'>): void {
      if (!waiting.add(source, { ...request, id: newId(), at: clock.now() })) lost++;
      writeSoon(WRITE_MS);
    },
    /** Writes what is waiting. */
    flush: writeNext,
    async close(): Promise<void> {
      clearTimeout(timer);
      await writeNext();
      clearTimeout(timer);
    },
  };
};

export type RequestLog = ReturnType<typeof createRequestLog>;
