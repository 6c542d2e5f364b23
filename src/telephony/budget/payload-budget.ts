import { createOutage, DatabaseUnavailable } from '../../platform/index.ts';
import type { TelephonyContext } from '../context.ts';
import { ROOM_AGAIN } from './full-teams.ts';
import { type PayloadUse, readPayloadUse } from './payload-bytes-store.ts';
import { addUnreported, countBytes, dayOf, type PayloadCount, readBytes, reportBytes } from './payload-counts.ts';

/** After this time or this many bytes, counts are added to the database, and the counts of other processes are read. */
const REPORT_MS = 5_000;
const REPORT_BYTES = 4 * 1024 * 1024;
/** How often to check whether a full team has room again. */
const LOOK_AGAIN_MS = 60_000;

type Payload = { teamId: string; receivedAt: number; payload: string };

/**
 * Tracks how many bytes each team's payloads take, and whether there is room for more. Deliveries are counted in
 * memory, so that none of them costs a query. Now and then, the counts are added up in the database, and those of other
 * processes are read. For a team's first deliveries in this process, the counts of others aren't known yet.
 */
export const createPayloadBudget = (
  context: Pick<TelephonyContext, 'database' | 'clock' | 'log' | 'limits' | 'fullTeams'>,
) => {
  const { database, clock, log, limits, fullTeams } = context;
  const teams = new Map<string, PayloadCount>();
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

  const countedOf = (teamId: string): PayloadCount => {
    const known = teams.get(teamId);
    if (known) return known;
    const counted: PayloadCount = { total: 0, today: 0, unreported: new Map(), isKnown: false };
    teams.set(teamId, counted);
    return counted;
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
      await reportBytes(context, asked);
      await readBytes(context, asked, () => today);
      for (const [teamId, counted] of asked) lookForRoom(teamId, counted);
    } catch (err) {
      outage.begin();
      // An unavailable database isn't logged here, because the code that stores deliveries logs it.
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
    countBytes(counted, { receivedAt, bytes: payload.length, today });
    unreportedBytes += payload.length;
    const isDue = !counted.isKnown || unreportedBytes >= REPORT_BYTES;
    if (isDue && !outage.isOn()) void report();
    else if (!reporting) reportLater(REPORT_MS);
  };

  return {
    /** Counts a payload if there is room for it. Returns whether there was room. */
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
    /** Subtracts a payload that was counted but not stored. */
    giveBack({ teamId, receivedAt, payload }: Payload): void {
      countBytes(countedOf(teamId), { receivedAt, bytes: -payload.length, today });
    },
    async read(teamId: string): Promise<PayloadUse> {
      beginDay();
      await reporting;
      const used = await readPayloadUse(database, [teamId], today);
      return addUnreported(used.get(teamId), teams.get(teamId)?.unreported ?? new Map(), today);
    },
    /** Adds the counted bytes to the database now. */
    report,
    async close(): Promise<void> {
      isClosed = true;
      await reporting;
      if (!outage.isOn()) await report();
    },
  };
};

export type PayloadBudget = ReturnType<typeof createPayloadBudget>;
