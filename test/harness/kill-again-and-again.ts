import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Database, Engine } from '../../src/platform/index.ts';
import { openKillStage } from './kill-stage.ts';
import { createRandom } from './random.ts';
import type { Serving } from './serve-process.ts';
import { startStopwatch } from './start-stopwatch.ts';
import { addPhoneAccount, deliver } from './telephony-serve.ts';
import {
  SHAPE_NAMES,
  type SignedChapter,
  type Story,
  type StoryAccount,
  signChapter,
  tellStory,
} from './telephony-stories.ts';
import { waitUntil } from './wait-until.ts';

const SENDERS = 8;
/** How many deliveries are acknowledged between two kills, at most. */
const MOST_BEFORE_KILL = 50;
/** This share of what was acknowledged is sent again, as if the provider hadn't heard it. */
const REPEATED = 10;
type Letter = SignedChapter & { story: number };

/** What a provider does: it sends everything in no order, several at once, and again until it is acknowledged. */
export const createProvider = (account: StoryAccount) => {
  const stories: Story[] = [];
  const waiting: Letter[] = [];
  const acknowledged = new Set<string>();
  const refusals: string[] = [];
  let acknowledgements = 0;
  const random = createRandom('provider');

  const addStory = (): void => {
    const name = SHAPE_NAMES[stories.length % SHAPE_NAMES.length] ?? 'answered';
    const story = tellStory(name);
    waiting.push(...story.chapters.map((chapter) => ({ ...signChapter(account, chapter), story: stories.length })));
    stories.push(story);
  };
  const takeAny = (): Letter | undefined => {
    const [letter] = waiting.splice(random.integer(0, waiting.length), 1);
    return letter;
  };

  return {
    account,
    stories,
    acknowledged,
    refusals,
    count: () => acknowledgements,
    /** Until no process is left to send to or, without new stories, until everything is acknowledged. */
    async send(targets: () => readonly Pick<Serving, 'port'>[], { fresh }: { fresh: boolean }): Promise<void> {
      for (;;) {
        if (fresh && waiting.length < SENDERS * 4) addStory();
        const targetsNow = targets();
        const target = targetsNow[random.integer(0, targetsNow.length)];
        const letter = target && takeAny();
        if (!letter) return;
        const heard = await deliver(target, letter);
        if (heard === null || heard.status < 200 || heard.status > 299) {
          if (heard) refusals.push(`${heard.status} ${heard.body}`);
          waiting.push(letter);
          continue;
        }
        acknowledged.add(letter.digest);
        acknowledgements++;
        if (random.integer(0, 100) < REPEATED) waiting.push(letter);
      }
    },
  };
};

export type Provider = ReturnType<typeof createProvider>;

const sendAll = (provider: Provider, targets: () => readonly Serving[], options: { fresh: boolean }) =>
  Promise.all(Array.from({ length: SENDERS }, () => provider.send(targets, options)));

export const allProcessed = (database: Database): Promise<void> =>
  waitUntil(
    'everything is processed',
    async () => {
      const row = await database.get<{ n: number }>("select count(*) as n from deliveries where state = 'received'");
      return Number(row?.n) === 0;
    },
    60_000,
  );

type Killing = {
  kills: number;
  /** Called once, before the first delivery. */
  onStarted(serving: Serving): Promise<unknown>;
};

/** Keeps killing one of the processes while all of them receive deliveries. In the end, everything is processed. */
export const killAgainAndAgain = async (
  context: TestContext,
  engine: Engine,
  { kills, onStarted }: Killing,
): Promise<{ provider: Provider; database: Database }> => {
  const stage = await openKillStage(context, engine);
  const { environments } = stage;
  const running = new Map<number, Serving>();
  const starts: number[] = [];
  /** A port that was free a moment ago may be taken by one of the many connections here. */
  const isPortTaken = (serving: Serving) => serving.output.stderr.includes('is already in use');
  const start = async (index: number): Promise<void> => {
    const readMs = startStopwatch();
    const serving = await stage.serve({ ...environments[index] });
    running.set(index, serving);
    try {
      await serving.ready();
    } catch (error) {
      if (!isPortTaken(serving)) throw error;
      return start(index);
    }
    starts.push(readMs());
  };
  await start(0);
  await Promise.all(environments.slice(1).map((_, index) => start(index + 1)));
  const [first] = running.values();
  assert.ok(first);
  await onStarted(first);
  const provider = createProvider(
    await addPhoneAccount(first, { answer: { greeting: 'Welcome.', voicemail: true, record: true } }),
  );
  // The others have it within a second.
  await waitUntil('every process knows the account', async () => {
    const known = await Promise.all([...running.values()].map((serving) => serving.fetch('/readyz')));
    return known.every(({ status }) => status === 200);
  });

  const isAlive = (serving: Serving) => serving.isRunning();
  const random = createRandom('kills');
  for (let kill = 1; kill <= kills; kill++) {
    const killAt = provider.count() + random.integer(1, MOST_BEFORE_KILL);
    const victimAt = random.integer(0, environments.length);
    const victim = running.get(victimAt);
    assert.ok(victim);
    const sending = sendAll(provider, () => (isAlive(victim) ? [...running.values()].filter(isAlive) : []), {
      fresh: true,
    });
    await waitUntil('enough is acknowledged', () => provider.count() >= killAt, 30_000);
    victim.kill('SIGKILL');
    await victim.ended();
    await sending;
    await start(victimAt);
  }
  await sendAll(provider, () => [...running.values()], { fresh: false });
  starts.sort((left, right) => left - right);
  context.diagnostic(
    `${kills} kills; ready again after ${Math.round(starts[starts.length >> 1] ?? 0)} ms (median), ${Math.round(starts.at(-1) ?? 0)} ms (longest)`,
  );
  const database = stage.open();
  await allProcessed(database);
  return { provider, database };
};
