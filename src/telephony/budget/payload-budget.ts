import { createOutage, DatabaseUnavailable } from '../../platform/index.ts';
import type { TelephonyContext } from '../context.ts';
import { ROOM_AGAIN } from './full-teams.ts';
import { addPayloadBytes, type PayloadBytes, type PayloadUse, readPayloadUse } from './payload-bytes-store.ts';

const DAY_MS = 24 * 3_600_000;
/** What was counted here is added to the database after this long or this much. Then others' counts are read, too. */
const REPORT_MS = 5_000;
const REPORT_BYTES = 4 * 1024 * 1024;
/** Whether a full team has room again. */
const LOOK_AGAIN_MS = 60_000;

type Payload = { teamId: string; receivedAt: number; payload: string };

/** `unreported`: by day, counted here and not yet in the database. `isKnown`: the database was asked. */
type Counted = PayloadUse & { unreported: Map<number, number>; isKnown: boolean };

export const dayOf = (instant: number): number => Math.floor(instant / DAY_MS);

const sumOf = (bytes: Map<number, number>): number => bytes.values().reduce((sum, count) => sum + count, 0);

/**
 * How much each team's payloads hold, and whether there is room for another. Counted in memory as deliveries come, so
 * none of them costs a query, and added up in the database for later and for other processes. Until a team's first
 * delivery has made this process ask, what others counted isn't known here.
 */
export const createPayloadBudget = ({
  database,
  clock,
  log,
  limits,
  fullTeams,
}: Pick<TelephonyContext, 'database' | 'clock' | 'log' | 'limits' | 'fullTeams'>) => {
  const teams = new Map<string, Counted>();
  const outage = createOutage(REPORT_MS);
  let today = dayOf(clock.now());
  let unreportedBytes = 0;
  let reporting: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const fits = ({ total, today: bytes }: PayloadUse, share = 1): boolean =>
    total <= limits.payloadBytes * share && bytes <= limits.payloadBytesPerDay * share;

  const lookForRoom = (teamId: string, use: PayloadUse): void => {
    if (fits(use, ROOM_AGAIN)) fullTeams.remove('payloads', teamId);
  };

  const beginDay = (): void => {
    const day = dayOf(clock.now());
    if (day === today) return;
    today = day;
    for (const [teamId, counted] of teams) {
      counted.today = counted.unreported.get(day) ?? 0;
      lookForRoom(teamId, counted);
    }
  };

  const countedOf = (teamId: string): Counted => {
    const known = teams.get(teamId);
    if (known) return known;
    const counted: Counted = { total: 0, today: 0, unreported: new Map(), isKnown: false };
    teams.set(teamId, counted);
    return counted;
  };

  const count = (counted: Counted, receivedAt: number, bytes: number): void => {
    const day = dayOf(receivedAt);
    counted.total += bytes;
    if (day === today) counted.today += bytes;
    counted.unreported.set(day, (counted.unreported.get(day) ?? 0) + bytes);
  };

  /** The team of one of them was erased meanwhile. Its count goes with it, the others' stay. */
  const addEach = async (rows: readonly PayloadBytes[]): Promise<void> => {
    for (const row of rows)
      await addPayloadBytes(database, [row]).catch((err) =>
        log.warn({ err, team: row.teamId }, 'the size of payloads was not added up'),
      );
  };

  const addReport = async (asked: readonly (readonly [string, Counted])[]): Promise<void> => {
    const taken = asked.map(([teamId, counted]) => ({ teamId, counted, bytes: counted.unreported }));
    for (const { counted } of taken) counted.unreported = new Map();
    const rows = taken.flatMap(({ teamId, bytes }) =>
      [...bytes].filter(([, sum]) => sum !== 0).map(([day, sum]) => ({ teamId, day, bytes: sum })),
    );
    if (rows.length === 0) return;
    try {
      await addPayloadBytes(database, rows);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) return addEach(rows);
      for (const { counted, bytes } of taken)
        for (const [day, sum] of bytes) counted.unreported.set(day, (counted.unreported.get(day) ?? 0) + sum);
      throw error;
    }
  };

  const readUse = async (asked: readonly (readonly [string, Counted])[]): Promise<void> => {
    const day = today;
    const used = await readPayloadUse(
      database,
      asked.map(([teamId]) => teamId),
      day,
    );
    for (const [teamId, counted] of asked) {
      const use = used.get(teamId) ?? { total: 0, today: 0 };
      counted.total = use.total + sumOf(counted.unreported);
      if (day === today) counted.today = use.today + (counted.unreported.get(day) ?? 0);
      counted.isKnown = true;
      lookForRoom(teamId, counted);
    }
  };

  const reportOnce = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    unreportedBytes = 0;
    const asked = [...teams].filter(
      ([teamId, { unreported, isKnown }]) => unreported.size > 0 || !isKnown || fullTeams.has('payloads', teamId),
    );
    if (asked.length === 0) return;
    try {
      await addReport(asked);
      await readUse(asked);
    } catch (err) {
      outage.begin();
      // An outage is logged by those who have to store something.
      if (!(err instanceof DatabaseUnavailable)) log.warn({ err }, 'the size of payloads could not be added up yet');
    }
  };

  const reportLater = (ms: number): void => {
    if (isClosed) return;
    timer ??= setTimeout(() => void report(), ms).unref();
  };

  const report = (): Promise<void> => {
    reporting ??= reportOnce().finally(() => {
      reporting = null;
      if (teams.values().some(({ unreported }) => unreported.size > 0)) reportLater(REPORT_MS);
      else if (fullTeams.count('payloads') > 0) reportLater(LOOK_AGAIN_MS);
    });
    return reporting;
  };

  const add = ({ teamId, receivedAt, payload }: Payload): void => {
    const counted = countedOf(teamId);
    count(counted, receivedAt, payload.length);
    unreportedBytes += payload.length;
    const isDue = !counted.isKnown || unreportedBytes >= REPORT_BYTES;
    if (isDue && !outage.isOn()) void report();
    else if (!reporting) reportLater(REPORT_MS);
  };

  return {
    /** Counts a payload if there is room for it. Returns whether there was. */
    take(row: Payload): boolean {
      beginDay();
      const { total, today: bytes } = countedOf(row.teamId);
      const size = row.payload.length;
      if (!fits({ total: total + size, today: bytes + size })) fullTeams.add('payloads', row.teamId);
      if (fullTeams.has('payloads', row.teamId)) return false;
      add(row);
      return true;
    },
    /** Counts a payload that is kept whether or not there is room. */
    add,
    /** For one that was counted and then not stored. */
    giveBack({ teamId, receivedAt, payload }: Payload): void {
      count(countedOf(teamId), receivedAt, -payload.length);
    },
    async read(teamId: string): Promise<PayloadUse> {
      beginDay();
      await reporting;
      const used = (await readPayloadUse(database, [teamId], today)).get(teamId) ?? { total: 0, today: 0 };
      const unreported = teams.get(teamId)?.unreported ?? new Map<number, number>();
      return { total: used.total + sumOf(unreported), today: used.today + (unreported.get(today) ?? 0) };
    },
    /** Adds what was counted to the database now. */
    report,
    async close(): Promise<void> {
      isClosed = true;
      await reporting;
      if (!outage.isOn()) await report();
    },
  };
};

export type PayloadBudget = ReturnType<typeof createPayloadBudget>;
