import { setTimeout as sleep } from 'node:timers/promises';
import type { Result, Tools } from '../benchmark.ts';
import { type EngineChoice, onBothEngines } from '../both-engines.ts';
import { type ChildServer, startChildServer } from '../child-server.ts';
import { pickSize } from '../pick-size.ts';
import { makeDirectory } from '../temporary-directory.ts';

const RECEIVER = new URL('./receiver.child.ts', import.meta.url);
const PATCHBAY = new URL('./patchbay.child.ts', import.meta.url);

const EVENTS = pickSize({ full: 10_000, small: 500 });
const TEAMS = 50;
const ROUNDS = 3;
const LOOK_MS = 20;
const WITHIN_MS = 120_000;

const at = (sorted: readonly number[], share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;

const createStage = async ({ cleanUp }: Tools, { databaseUrl }: EngineChoice) => {
  const receiver = await startChildServer(RECEIVER, '', cleanUp);
  const argument = {
    directory: makeDirectory(cleanUp),
    databaseUrl,
    receiver: receiver.url,
    teams: TEAMS,
    events: EVENTS,
  };
  return { receiver, ours: await startChildServer(PATCHBAY, JSON.stringify(argument), cleanUp) };
};

/** Waits until this many events have arrived. Returns how long each of them took. */
const receive = async (receiver: ChildServer, count: number): Promise<number[]> => {
  const until = performance.now() + WITHIN_MS;
  while ((await receiver.ask('count')) < count) {
    if (performance.now() > until) throw new Error('Not all events have arrived.');
    await sleep(LOOK_MS);
  }
  return receiver.askFor<number[]>('take');
};

export const [eventsSqlite, eventsPostgresql] = onBothEngines({
  name: 'events',
  about: 'events from their cause to a receiver',
  async run(tools, engine): Promise<Result[]> {
    const { receiver, ours } = await createStage(tools, engine);

    const measureRate = async (what: 'burst' | 'spread'): Promise<number> => {
      const begun = performance.now();
      await ours.askFor(what, WITHIN_MS);
      await receive(receiver, EVENTS);
      return EVENTS / ((performance.now() - begun) / 1_000);
    };
    const measureRates = async (what: 'burst' | 'spread'): Promise<number[]> => {
      const rates: number[] = [];
      for (let round = 0; round < ROUNDS; round++) rates.push(await measureRate(what));
      return rates;
    };

    const rates = await measureRates('burst');
    await ours.askFor('steady', WITHIN_MS);
    const delays = (await receive(receiver, EVENTS / 10)).sort((one, other) => one - other);
    const without = await measureRates('spread');
    await ours.askFor('disturb', WITHIN_MS);
    const beside = await measureRates('spread');
    const median = (values: readonly number[]): number =>
      at(
        values.toSorted((one, other) => one - other),
        0.5,
      );

    const reading = (
      title: string,
      unit: string,
      values: number[],
      goal: Extract<Result, { kind: 'reading' }>['goal'],
    ) =>
      ({ kind: 'reading', title: `${title}, ${engine.title}`, unit, values, ...(goal && { goal }) }) satisfies Result;
    return [
      reading('half of the events reach the receiver within, at 100 a second', 'ms', [at(delays, 0.5)], { atMost: 50 }),
      reading('99 % of them within', 'ms', [at(delays, 0.99)], { atMost: 500 }),
      reading('recorded and received by one endpoint', 'events/s', rates, { atLeast: 1_000 }),
      reading(`the same by ${TEAMS} endpoints`, 'events/s', without, undefined),
      reading('the share of that beside one that never responds', '', [median(beside) / median(without)], {
        atLeast: 0.9,
      }),
    ];
  },
});
