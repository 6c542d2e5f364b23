import { DatabaseUnavailable } from '../../platform/index.ts';
import type { TelephonyContext } from '../context.ts';
import { addPayloadBytes, type PayloadBytes, type PayloadUse, readPayloadUse } from './payload-bytes-store.ts';

const DAY_MS = 24 * 3_600_000;

export const dayOf = (instant: number): number => Math.floor(instant / DAY_MS);

/** Bytes by day that were counted in this process, and aren't in the database yet. */
type Unreported = Map<number, number>;

/** Bytes that one team's payloads take. `isKnown`: they include what other processes have counted. */
export type PayloadCount = PayloadUse & { unreported: Unreported; isKnown: boolean };

type CountedTeam = readonly [teamId: string, counted: PayloadCount];

const NOTHING: PayloadUse = { total: 0, today: 0 };

const addTo = (unreported: Unreported, day: number, bytes: number): void =>
  void unreported.set(day, (unreported.get(day) ?? 0) + bytes);

/** Adds bytes that aren't reported yet to those in the database. */
export const addUnreported = (use: PayloadUse = NOTHING, unreported: Unreported, today: number): PayloadUse => ({
  total: use.total + unreported.values().reduce((sum, bytes) => sum + bytes, 0),
  today: use.today + (unreported.get(today) ?? 0),
});

export const countBytes = (
  counted: PayloadCount,
  { receivedAt, bytes, today }: { receivedAt: number; bytes: number; today: number },
): void => {
  const day = dayOf(receivedAt);
  counted.total += bytes;
  if (day === today) counted.today += bytes;
  addTo(counted.unreported, day, bytes);
};

/** Adds rows one by one, after adding all at once has failed. A row whose team was erased meanwhile is dropped. */
const addEach = async (
  { database, log }: Pick<TelephonyContext, 'database' | 'log'>,
  rows: readonly PayloadBytes[],
): Promise<void> => {
  for (const row of rows)
    await addPayloadBytes(database, [row]).catch((err) =>
      log.warn({ err, team: row.teamId }, 'the size of payloads was not added up'),
    );
};

/**
 * Adds the counted bytes to the database. If the database is unavailable, they stay unreported, and nothing is lost.
 */
export const reportBytes = async (
  context: Pick<TelephonyContext, 'database' | 'log'>,
  teams: readonly CountedTeam[],
): Promise<void> => {
  const taken = teams.map(([teamId, counted]) => ({ teamId, counted, bytes: counted.unreported }));
  for (const { counted } of taken) counted.unreported = new Map();
  const rows = taken.flatMap(({ teamId, bytes }) =>
    [...bytes].filter(([, sum]) => sum !== 0).map(([day, sum]) => ({ teamId, day, bytes: sum })),
  );
  if (rows.length === 0) return;
  try {
    await addPayloadBytes(context.database, rows);
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) return addEach(context, rows);
    for (const { counted, bytes } of taken) for (const [day, sum] of bytes) addTo(counted.unreported, day, sum);
    throw error;
  }
};

/** Reads what all processes have counted. If a new day begins during the query, the result for `today` is ignored. */
export const readBytes = async (
  { database }: Pick<TelephonyContext, 'database'>,
  teams: readonly CountedTeam[],
  getToday: () => number,
): Promise<void> => {
  const day = getToday();
  const ids = teams.map(([teamId]) => teamId);
  const used = await readPayloadUse(database, ids, day);
  for (const [teamId, counted] of teams) {
    const { total, today } = addUnreported(used.get(teamId), counted.unreported, day);
    counted.total = total;
    if (day === getToday()) counted.today = today;
    counted.isKnown = true;
  }
};
