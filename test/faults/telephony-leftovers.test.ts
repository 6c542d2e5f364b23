import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { App } from '../../src/app.ts';
import { type Database, DatabaseUnavailable, type Engine, openDatabase } from '../../src/platform/index.ts';
import { createProcessor } from '../../src/telephony/processing/processor.ts';
import { SECRETS } from '../harness/app.ts';
import { createTestStore, onEachEngine } from '../harness/databases.ts';
import { createRandom } from '../harness/random.ts';
import { openServeStage } from '../harness/serve-stage.ts';
import { type Phone, storeUnprocessed } from '../harness/store-unprocessed.ts';
import { addPhoneAccount, deliver, isKept } from '../harness/telephony-serve.ts';
import { openTelephonyStage, SERVICE_URL } from '../harness/telephony-stage.ts';
import {
  type Chapter,
  SHAPE_NAMES,
  type ShapeName,
  type Story,
  signChapter,
  tellStory,
} from '../harness/telephony-stories.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** As many as the process keeps in memory here, and more than that. */
const IN_MIND = 1_000;
const TOO_MANY = 1_400;
/** Younger ones are left to the process that received them. */
const OLD_ENOUGH_MS = 6_000;

const countStates = async (database: Database): Promise<Record<string, number>> => {
  const rows = await database.all<{ state: string; n: number }>(
    'select state, count(*) as n from deliveries group by state',
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, Number(n)]));
};

const expectCalls = async (database: Database, stories: readonly Story[]): Promise<void> => {
  const rows = await database.all<{ sid: string; outcome: string; talkSeconds: number | null; recordings: number }>(
    `select external_id as sid, outcome, talk_seconds as "talkSeconds",
      (select count(*) from recordings r where r.call_key = c.external_id) as recordings from calls c`,
  );
  const bySid = new Map(rows.map(({ sid, ...row }) => [sid, { ...row, recordings: Number(row.recordings) }]));
  for (const { sid, ending } of stories) assert.deepEqual(bySid.get(sid), ending);
};

const partsOf = ({ telephony }: App) => ({ ...telephony.context, onUnknown: () => undefined });

const runJob = (app: App, more: object = {}): Promise<void> => createProcessor({ ...partsOf(app), ...more }).workOff();

onEachEngine('deliveries that were stored but not processed', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine, { answer: { voicemail: true } }));

  const newPhone = async (): Promise<Phone> => {
    for (const table of ['call_events', 'calls', 'recordings', 'deliveries'])
      await stage.app.database.run(`delete from ${table}`);
    const { team, account } = await stage.newTeam();
    return { teamId: team.id, id: account.id, accountId: account.accountId };
  };
  const tellMany = (count: number, shapes: readonly ShapeName[] = SHAPE_NAMES): Story[] =>
    Array.from({ length: count }, (_, index) => tellStory(shapes[index % shapes.length] ?? 'missed'));

  test('are processed by the job as soon as their receiver should have done it', async () => {
    const phone = await newPhone();
    const stories = tellMany(48);
    const told = await storeUnprocessed(
      stage.app,
      phone,
      stories.flatMap(({ chapters }) => chapters),
    );
    await runJob(stage.app);
    assert.deepEqual(await countStates(stage.app.database), { received: told.length }, 'They are young.');
    stage.clock.advance(OLD_ENOUGH_MS);
    await runJob(stage.app);
    assert.deepEqual(await countStates(stage.app.database), { processed: told.length });
    await expectCalls(stage.app.database, stories);
    await runJob(stage.app);
    await expectCalls(stage.app.database, stories);
  });

  test('and cannot be read are failed with a reason, and hold up no others', async () => {
    const phone = await newPhone();
    const { database } = stage.app;
    const stories = tellMany(24);
    const told = await storeUnprocessed(
      stage.app,
      phone,
      stories.flatMap(({ chapters }) => chapters),
    );
    const spoiled = tellMany(3, ['missed']);
    const bad = await storeUnprocessed(
      stage.app,
      phone,
      spoiled.flatMap(({ chapters }) => chapters.slice(0, 1)),
    );
    const spoil = (index: number, column: string, value: string) =>
      database.run(`update deliveries set ${column} = $2, received_at = 1 where id = $1`, [
        bad[index]?.id ?? '',
        value,
      ]);
    await spoil(0, 'payload', 'no sealed value at all');
    await spoil(1, 'payload', told[0]?.payload ?? '');
    await spoil(2, 'provider', 'a provider of old');
    stage.clock.advance(OLD_ENOUGH_MS);
    await runJob(stage.app);
    assert.deepEqual(await countStates(database), { processed: told.length, failed: bad.length });
    await expectCalls(database, stories);
    const problems = await database.all<{ problem: string }>(`select problem from deliveries where state = 'failed'`);
    for (const { problem } of problems) assert.match(problem, /^\w+/);
  });

  test('of which the database refuses one: that one is failed with a reason, and no other', async () => {
    const phone = await newPhone();
    const { database } = stage.app;
    const stories = tellMany(16);
    const [recording] = tellStory('voicemail').chapters.filter(({ path }) => path.endsWith('/recording'));
    assert.ok(recording);
    const told = await storeUnprocessed(stage.app, phone, [...stories.flatMap(({ chapters }) => chapters), recording]);
    // A call that the rows say is another team's: nothing may be added to it.
    const { team } = await stage.createTeam(`other-${engine}`);
    await database.run(
      `insert into calls (id, team_id, account_id, provider, external_id, direction, status, evidence, started_at, updated_at)
        values ($1, $2, $3, 'twilio', $4, 'inbound', 'ringing', '[]', 1, 1)`,
      [stage.app.newId(), team.id, phone.id, recording.params['CallSid'] ?? ''],
    );
    stage.clock.advance(OLD_ENOUGH_MS);
    await runJob(stage.app);
    await expectCalls(database, stories);
    const { processed = 0, failed = 0, received = 0 } = await countStates(database);
    assert.deepEqual({ failed, received }, { failed: 1, received: 0 });
    assert.equal(processed + failed, told.length);
    const problems = await database.all<{ problem: string }>(`select problem from deliveries where state = 'failed'`);
    for (const { problem } of problems) assert.match(problem, /^\w+/);
  });

  // How much is kept in memory doesn't depend on the engine.
  if (engine === 'sqlite')
    test('because there were too many to remember, are found by the job', async () => {
      const phone = await newPhone();
      const [ringing] = tellStory('missed').chapters;
      assert.ok(ringing);
      const chapters = Array.from({ length: TOO_MANY }, (_, index): Chapter => {
        const sid = `CAe${index.toString(16).padStart(31, '0')}`;
        return { ...ringing, params: { ...ringing.params, CallSid: sid } };
      });
      const told = await storeUnprocessed(stage.app, phone, chapters);
      const processor = createProcessor(partsOf(stage.app), { mostWaiting: IN_MIND });
      for (const one of told) processor.add(one);
      await processor.drain();
      const { received = 0, processed = 0 } = await countStates(stage.app.database);
      assert.ok(received > 0 && processed > 0, `${received} left, ${processed} done`);
      stage.clock.advance(OLD_ENOUGH_MS);
      await runJob(stage.app);
      assert.deepEqual(await countStates(stage.app.database), { processed: TOO_MANY });
      const calls = await stage.app.database.get<{ n: number }>('select count(*) as n from calls');
      assert.equal(Number(calls?.n), TOO_MANY);
    });

  test('are not failed because the database was down for a moment while they were read', async () => {
    const phone = await newPhone();
    const { database, vault } = stage.app;
    const stories = tellMany(8);
    const told = await storeUnprocessed(
      stage.app,
      phone,
      stories.flatMap(({ chapters }) => chapters),
    );
    stage.clock.advance(OLD_ENOUGH_MS);
    let times = 0;
    const open: typeof vault.open = async (...place) => {
      if (++times === 3) throw new DatabaseUnavailable('The connection was lost.');
      return vault.open(...place);
    };
    await runJob(stage.app, { vault: { ...vault, open } }).catch((error) =>
      assert.ok(error instanceof DatabaseUnavailable, String(error)),
    );
    await runJob(stage.app);
    assert.deepEqual(await countStates(database), { processed: told.length });
    await expectCalls(database, stories);
  });
});

describe('two processes processing the same deliveries at once (postgresql)', () => {
  test('lose nothing and do nothing twice', async (context) => {
    const stage = await openTelephonyStage('postgresql', { answer: { voicemail: true } });
    const other = await stage.openOther();
    context.after(async () => {
      await other.close();
      await stage.close();
    });
    const { team, account } = await stage.newTeam();
    const phone: Phone = { teamId: team.id, id: account.id, accountId: account.accountId };
    const stories: Story[] = [];
    const inTheWay: string[] = [];
    const random = createRandom('chapters');
    for (let round = 0; round < 3; round++) {
      const added = Array.from({ length: 40 }, (_, index) =>
        tellStory(SHAPE_NAMES[index % SHAPE_NAMES.length] ?? 'missed'),
      );
      stories.push(...added);
      const chapters = random.shuffle(added.flatMap((story) => story.chapters));
      const told = await storeUnprocessed(stage.app, phone, chapters);
      stage.clock.advance(OLD_ENOUGH_MS);
      // The job in two processes, and a process that was just slow, each in its own order.
      const late = createProcessor(partsOf(other.app));
      for (const one of told.toReversed()) late.add(one);
      const jobs = [runJob(stage.app), runJob(other.app), runJob(stage.app), late.drain()];
      for (const outcome of await Promise.allSettled(jobs))
        if (outcome.status === 'rejected') {
          assert.ok(outcome.reason instanceof DatabaseUnavailable, outcome.reason);
          inTheWay.push(outcome.reason.message);
        }
      // What two of them conflicted on is left for the next run.
      await runJob(stage.app);
    }
    const states = await countStates(stage.app.database);
    const count = stories.flatMap(({ chapters }) => chapters).length;
    assert.deepEqual(states, { processed: count });
    await expectCalls(stage.app.database, stories);
    const calls = await stage.app.database.get<{ n: number }>('select count(*) as n from calls');
    assert.equal(Number(calls?.n), stories.length);
    assert.deepEqual(inTheWay, [], 'They wait for each other, and not for ever.');
  });
});

describe('a process killed right after acknowledging', { concurrency: 2 }, () => {
  for (const engine of ['sqlite', 'postgresql'] satisfies Engine[])
    test(`leaves what it had not processed to the next one (${engine})`, async (context) => {
      const stage = openServeStage(context);
      const store = await createTestStore(engine);
      context.after(store.remove);
      const environment = {
        ...SECRETS,
        PATCHBAY_URL: SERVICE_URL,
        PATCHBAY_DATA: store.settings.dataDirectory,
        DATABASE_URL: store.settings.url?.reveal() ?? '',
      };
      const serving = await stage.serve(environment);
      await serving.ready();
      const account = await addPhoneAccount(serving);
      const stories = SHAPE_NAMES.flatMap((name) => [tellStory(name), tellStory(name), tellStory(name)]);
      const letters = stories.flatMap(({ chapters }) => chapters).map((chapter) => signChapter(account, chapter));
      let answered = 0;
      const heard = await Promise.all(
        letters.map(async (letter) => {
          const answer = await deliver(serving, letter);
          // In the middle of it: calls are assembled a moment after their deliveries were answered.
          if (++answered === letters.length / 2) serving.kill('SIGKILL');
          return answer;
        }),
      );
      await serving.ended();
      assert.ok(heard.filter(isKept).length >= letters.length / 2);
      const database = openDatabase(store.settings, () => undefined);
      context.after(() => database.close());
      const { received = 0 } = await countStates(database);
      context.diagnostic(`${received} of ${letters.length} were stored and not processed when it was killed`);
      assert.ok(received > 0);
      const next = await stage.serve(environment);
      await next.ready();
      // The provider resends what got no response.
      for (const [index, letter] of letters.entries())
        if (!isKept(heard[index] ?? null)) assert.ok(isKept(await deliver(next, letter)));
      await waitUntil('all is processed', async () => (await countStates(database))['received'] === undefined, 30_000);
      assert.deepEqual(await countStates(database), { processed: letters.length });
      await expectCalls(database, stories);
    });
});
