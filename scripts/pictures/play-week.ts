import type { App } from '../../src/app.ts';
import { COMMAND_LINE } from '../../src/teams/index.ts';
import { createRandom, makeCalls } from '../../src/telephony/contract/simulated-call.ts';
import { canBeSimulated, openSimulatedLine, SIMULATED_NUMBER } from '../../src/telephony/simulator/simulated-line.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How many calls arrive in each hour of a working day, from midnight on. */
const BY_HOUR = [0, 0, 0, 0, 0, 0, 0, 1, 3, 6, 7, 5, 3, 4, 6, 5, 4, 2, 1, 1, 0, 0, 0, 0];
const WEEKEND_SHARE = 0.2;

export type Dial = { set(instant: number): void; now(): number };

/** Plays a realistic week of calls against the service, hour by hour on its own clock. */
export const playWeek = async (app: App, teamId: string, clock: Dial, startsAt: number): Promise<void> => {
  const context = { ...app.telephony.context, production: false };
  const provider = context.providers.find(canBeSimulated);
  if (!provider) throw new Error('No provider can be simulated.');
  // Different calls in each week, but always the same ones for a given week.
  const random = createRandom(startsAt / HOUR_MS);
  const line = await openSimulatedLine(context, teamId, COMMAND_LINE, provider);
  try {
    let messages = 0;
    for (let day = 0; day < 7; day++)
      for (const [hour, most] of BY_HOUR.entries()) {
        const count = Math.round(most * (day < 5 ? 1 : WEEKEND_SHARE) * (0.6 + random() * 0.8));
        const instants = Array.from({ length: count }, () => Math.floor(random() * HOUR_MS)).sort((a, b) => a - b);
        const endings = instants.map((offset) => startsAt + day * DAY_MS + hour * HOUR_MS + offset);
        for (const call of makeCalls(random, SIMULATED_NUMBER, endings)) {
          if (call.message) messages++;
          clock.set(call.startedAt);
          for (const request of line.tell(call)) {
            const status = await line.send(request);
            if (status >= 300) throw new Error(`The service answered ${status}.`);
            clock.set(call.endedAt);
          }
          // Before the clock moves on, because calls assembled later would count as late.
          await app.telephony.settle();
        }
      }
    await line.waitUntilFetched(messages);
  } finally {
    await line.close();
  }
};
