import type { App } from '../../src/app.ts';
import { COMMAND_LINE } from '../../src/teams/index.ts';
import { createRandom, makeCalls } from '../../src/telephony/contract/simulated-call.ts';
import { canBeSimulated, openSimulatedLine, SIMULATED_NUMBER } from '../../src/telephony/simulator/simulated-line.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How many calls arrive in each hour of a working day, from midnight on. */
const BY_HOUR = [0, 0, 0, 0, 0, 0, 0, 1, 3, 6, 7, 5, 3, 4, 6, 5, 4, 2, 1, 1, 0, 0, 0, 0];
const WEEKEND_SHARE = 0.2;

/** The share of unanswered calls that is left out, because the team in the pictures answers most of its calls. */
const SPARED = 0.45;

/** Names of callers, which some providers send. */
const NAMES = [
  ...['City Pharmacy', 'Northside Lab', 'Nora Bennett', 'Harbor Dental Supply', 'Tom Okafor', 'Lakeview School'],
  ...['Grace Kim', 'Riverside Clinic', 'Ana Duarte', 'Meadow Kindergarten', 'Ben Fischer', 'Old Mill Bakery'],
] as const;

/** Finds a caller's name. Every third caller has one, and always the same. */
const nameOf = (from: string): string | undefined => {
  const last = Number(from.slice(-2));
  return last % 3 === 0 && last / 3 < NAMES.length ? NAMES[last / 3] : undefined;
};

export type Dial = { set(instant: number): void; now(): number };

const withName = (body: string, from: string): string => {
  const name = nameOf(from);
  return name === undefined ? body : `${body}&${new URLSearchParams({ CallerName: name })}`;
};

/** Plays a realistic week of calls against the service, hour by hour on its own clock, until `until`. */
export const playWeek = async (
  app: App,
  teamId: string,
  clock: Dial,
  { startsAt, until = Number.POSITIVE_INFINITY }: { startsAt: number; until?: number },
): Promise<void> => {
  const context = { ...app.telephony.context, production: false };
  const provider = context.providers.find(canBeSimulated);
  if (!provider) throw new Error('No provider can be simulated.');
  // Each week has different calls, but the same ones in every run.
  const random = createRandom(startsAt / HOUR_MS);
  // Mark the account as simulated only until its line is open, because in the pictures, these are the calls of a real
  // team.
  const setSimulated = (simulated: 0 | 1) =>
    app.database.run('update telephony_accounts set simulated = $2 where team_id = $1', [teamId, simulated]);
  await setSimulated(1);
  const line = await openSimulatedLine(context, teamId, COMMAND_LINE, provider);
  await setSimulated(0);
  try {
    let messages = 0;
    for (let day = 0; day < 7; day++)
      for (const [hour, most] of BY_HOUR.entries()) {
        const count = Math.round(most * (day < 5 ? 1 : WEEKEND_SHARE) * (0.6 + random() * 0.8));
        const instants = Array.from({ length: count }, () => Math.floor(random() * HOUR_MS)).sort((a, b) => a - b);
        const endings = instants.map((offset) => startsAt + day * DAY_MS + hour * HOUR_MS + offset);
        for (const call of makeCalls(random, SIMULATED_NUMBER, endings)) {
          if (call.endedAt > until) continue;
          if (call.forward.result !== 'reached' && random() < SPARED) continue;
          if (call.message) messages++;
          clock.set(call.startedAt);
          for (const request of line.tell(call)) {
            const status = await line.send({ ...request, body: withName(request.body, call.from) });
            if (status >= 300) throw new Error(`The service answered ${status}.`);
            clock.set(call.endedAt);
          }
          // Settle before the clock moves on, because calls assembled later would count as late.
          await app.telephony.settle();
        }
      }
    await line.waitUntilFetched(messages);
  } finally {
    await line.close();
  }
};
