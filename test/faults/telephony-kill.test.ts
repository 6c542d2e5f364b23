import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { type Database, openDatabase, Secret } from '../../src/platform/index.ts';
import { SECRETS } from '../harness/app.ts';
import { createDatabaseAt, databaseUrl, TEMPLATE } from '../harness/databases.ts';
import type { Serving } from '../harness/serve-process.ts';
import { openServeStage, type ServeStage } from '../harness/serve-stage.ts';
import { addPhoneAccount, deliver } from '../harness/telephony-serve.ts';
import { SERVICE_URL } from '../harness/telephony-stage.ts';
import {
  SHAPE_NAMES,
  type SignedChapter,
  type Story,
  type StoryAccount,
  signChapter,
  tellStory,
} from '../harness/telephony-stories.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** `KILLS=200` for the long run. */
const KILLS = Number(process.env['KILLS'] ?? 4);
const KILLS_OF_TWO = Math.max(2, Math.round(KILLS / 4));
const SENDERS = 8;
const MOST_BEFORE_KILL = 120;
/** This share of what was acknowledged is sent again, as if the provider hadn't heard it. */
const REPEATED = 10;
/** A process that starts this often shouldn't compile everything each time. */
const TIMEOUT_MS = 60_000 + KILLS * 5_000;

type Letter = SignedChapter & { story: number };

/** What a provider does: it sends everything in no order, several at once, and again until it is acknowledged. */
const createProvider = (account: StoryAccount) => {
  const stories: Story[] = [];
  const waiting: Letter[] = [];
  const acknowledged = new Set<string>();
  const refusals: string[] = [];
  let acknowledgements = 0;

  const addStory = (): void => {
    const name = SHAPE_NAMES[stories.length % SHAPE_NAMES.length] ?? 'answered';
    const story = tellStory(name);
    waiting.push(...story.chapters.map((chapter) => ({ ...signChapter(account, chapter), story: stories.length })));
    stories.push(story);
  };
  const takeAny = (): Letter | undefined => {
    const [letter] = waiting.splice(randomInt(Math.max(1, waiting.length)), 1);
    return letter;
  };

  return {
    stories,
    acknowledged,
    refusals,
    count: () => acknowledgements,
    /** Until no process is left to send to or, without new stories, until everything is acknowledged. */
    async send(targets: () => readonly Serving[], { fresh }: { fresh: boolean }): Promise<void> {
      for (;;) {
        if (fresh && waiting.length < SENDERS * 4) addStory();
        const targetsNow = targets();
        const target = targetsNow[randomInt(Math.max(1, targetsNow.length))];
        const letter = target && takeAny();
        if (!letter) return;
        const heard = await deliver(target, letter);
        if (heard === null || heard.status < 200 || heard.status > 299) {
          if (heard) refusals.push(`${heard.status} ${heard.body}`);
          waiting.push(letter);
          continue;
        }
        acknowledged.add(letter.deliveryId);
        acknowledgements++;
        if (randomInt(100) < REPEATED) waiting.push(letter);
      }
    },
  };
};

type Provider = ReturnType<typeof createProvider>;

const sendAll = (provider: Provider, targets: () => readonly Serving[], options: { fresh: boolean }) =>
  Promise.all(Array.from({ length: SENDERS }, () => provider.send(targets, options)));

const allProcessed = (database: Database): Promise<void> =>
  waitUntil(
    'everything is processed',
    async () => {
      const row = await database.get<{ n: number }>("select count(*) as n from deliveries where state = 'received'");
      return Number(row?.n) === 0;
    },
    60_000,
  );

/** Everything that was acknowledged, against everything that is there. */
const check = async (context: TestContext, database: Database, { stories, acknowledged, refusals }: Provider) => {
  assert.deepEqual(refusals, [], 'A process that is there refuses nothing.');
  const rows = await database.all<{ id: string; state: string; n: number }>(
    'select id, min(state) as state, count(*) as n from deliveries group by id',
  );
  const times = new Map(rows.map(({ id, n }) => [id, Number(n)]));
  const found = [...acknowledged].filter((id) => times.has(id)).length;
  const lost = acknowledged.size - found;

  const calls = await database.all<{
    externalId: string;
    status: string;
    outcome: string;
    talkSeconds: number | null;
    n: number;
  }>(
    `select external_id as "externalId", min(status) as status, min(outcome) as outcome,
      min(talk_seconds) as "talkSeconds", count(*) as n from calls group by external_id`,
  );
  const recordings = await database.all<{ callKey: string; n: number; ids: number }>(
    `select call_key as "callKey", count(*) as n, count(distinct external_id) as ids from recordings group by call_key`,
  );
  const events = await database.all<{ callId: string; n: number; keys: number }>(
    'select call_id as "callId", count(*) as n, count(distinct event_key) as keys from call_events group by call_id',
  );
  const double =
    rows.filter(({ n }) => Number(n) > 1).length +
    calls.filter(({ n }) => Number(n) > 1).length +
    recordings.filter(({ n, ids }) => Number(n) !== Number(ids)).length +
    events.filter(({ n, keys }) => Number(n) !== Number(keys)).length;
  context.diagnostic(`acknowledged ${acknowledged.size}, found ${found}, lost ${lost}, double ${double}`);
  assert.equal(lost, 0);
  assert.equal(double, 0);
  assert.deepEqual(
    rows.filter(({ state }) => state !== 'processed'),
    [],
  );

  const madeOf = new Map(calls.map((call) => [call.externalId, call]));
  const recordingsOf = new Map(recordings.map(({ callKey, n }) => [callKey, Number(n)]));
  const wrong = stories.filter(({ sid, ending }) => {
    const call = madeOf.get(sid);
    return (
      call?.status !== 'ended' ||
      call.outcome !== ending.outcome ||
      (call.talkSeconds ?? null) !== ending.talkSeconds ||
      (recordingsOf.get(sid) ?? 0) !== ending.recordings
    );
  });
  assert.deepEqual(
    wrong.map(({ sid, ending }) => ({ ending, is: madeOf.get(sid), recordings: recordingsOf.get(sid) })),
    [],
    'Each call is right.',
  );
  assert.equal(calls.length, stories.length, 'There is no call that nobody made.');
  context.diagnostic(`${stories.length} calls, all of them right`);
};

/** Keeps killing one of the processes while all of them receive deliveries. */
const killAgainAndAgain = async (
  context: TestContext,
  stage: Pick<ServeStage, 'serve'>,
  { environments, kills }: { environments: readonly Readonly<Record<string, string>>[]; kills: number },
): Promise<{ provider: Provider }> => {
  const running = new Map<number, Serving>();
  const starts: number[] = [];
  /** A port that was free a moment ago may be taken by one of the many connections here. */
  const isPortTaken = (serving: Serving) => serving.output.stderr.includes('is already in use');
  const start = async (index: number): Promise<void> => {
    const begun = performance.now();
    const serving = await stage.serve({ ...environments[index] });
    running.set(index, serving);
    try {
      await serving.ready();
    } catch (error) {
      if (!isPortTaken(serving)) throw error;
      return start(index);
    }
    starts.push(performance.now() - begun);
  };
  await start(0);
  await Promise.all(environments.slice(1).map((_, index) => start(index + 1)));
  const [first] = running.values();
  assert.ok(first);
  const provider = createProvider(
    await addPhoneAccount(first, { answer: { greeting: 'Welcome.', voicemail: true, record: true } }),
  );
  // The others have it within a second.
  await waitUntil('every process knows the account', async () => {
    const known = await Promise.all([...running.values()].map((serving) => serving.fetch('/readyz')));
    return known.every(({ status }) => status === 200);
  });

  const isAlive = (serving: Serving) => serving.isRunning();
  for (let kill = 1; kill <= kills; kill++) {
    const killAt = provider.count() + randomInt(1, MOST_BEFORE_KILL);
    const victimAt = randomInt(environments.length);
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
  return { provider };
};

describe('a process killed while deliveries arrive', { concurrency: 2 }, () => {
  test('has lost none that it acknowledged and has none twice (sqlite)', { timeout: TIMEOUT_MS }, async (context) => {
    const stage = openServeStage(context);
    const dataDirectory = stage.newDirectory();
    const environment = { ...SECRETS, PATCHBAY_URL: SERVICE_URL, PATCHBAY_DATA: dataDirectory };
    const { provider } = await killAgainAndAgain(context, stage, { environments: [environment], kills: KILLS });
    const database = openDatabase(
      { url: null, dataDirectory, poolSize: 2, statementTimeoutMs: 10_000 },
      () => undefined,
    );
    context.after(() => database.close());
    await allProcessed(database);
    await check(context, database, provider);
  });

  test('has company in a second process on the same database, with the same result (postgresql)', {
    timeout: TIMEOUT_MS,
  }, async (context) => {
    const server = process.env['PATCHBAY_TEST_POSTGRESQL'] ?? '';
    const name = `telephony_kill_${randomBytes(6).toString('hex')}`;
    await createDatabaseAt(server, name, TEMPLATE);
    const url = databaseUrl(server, name);
    const stage = openServeStage(context);
    const environments = [1, 2].map(() => ({
      ...SECRETS,
      PATCHBAY_URL: SERVICE_URL,
      PATCHBAY_DATA: stage.newDirectory(),
      DATABASE_URL: url,
    }));
    const { provider } = await killAgainAndAgain(context, stage, { environments, kills: KILLS_OF_TWO });
    const database = openDatabase(
      { url: new Secret(url), dataDirectory: '', poolSize: 2, statementTimeoutMs: 10_000 },
      () => undefined,
    );
    context.after(() => database.close());
    await allProcessed(database);
    await check(context, database, provider);
  });
});
