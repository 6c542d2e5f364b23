import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestLog, SECRETS } from '../../../test/harness/app.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { type Phone, storeUnprocessed } from '../../../test/harness/store-unprocessed.ts';
import { openTelephonyStage } from '../../../test/harness/telephony-stage.ts';
import { tellStory } from '../../../test/harness/telephony-stories.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import { Secret } from '../../platform/index.ts';
import { createProcessing } from './processing.ts';
import { createProcessingThread, type ProcessingThreadSettings } from './processing-thread.ts';

/** More deliveries than are processed in the thread that receives them. */
const MANY = 250;

onEachEngine('a flood of deliveries', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine, {}));
  let phone: Phone;
  before(async () => {
    const { team, account } = await stage.newTeam();
    phone = { teamId: team.id, id: account.id, accountId: account.accountId };
  });

  const settingsOf = (): ProcessingThreadSettings => ({
    database: {
      url: stage.config.databaseUrl,
      dataDirectory: stage.config.data,
      poolSize: 2,
      statementTimeoutMs: 5_000,
    },
    keys: { keys: new Secret(SECRETS.PATCHBAY_KEYS), keptIn: null },
    log: { level: 'silent', secrets: [], shapes: [] },
  });
  const partsOf = () => ({ ...stage.app.telephony.context, ...createTestLog(), onUnknown: () => undefined });
  /** A context with which this thread can't process anything. If a delivery is processed, another thread did that. */
  const partsUnableToRead = () => {
    const open = () => Promise.reject(new Error('Not in this thread.'));
    return { ...partsOf(), vault: { ...stage.app.vault, open } };
  };
  const storeMany = async () => {
    for (const table of ['call_events', 'calls', 'deliveries', 'events'])
      await stage.app.database.run(`delete from ${table}`);
    const [ringing] = tellStory('missed').chapters;
    assert.ok(ringing);
    const chapters = Array.from({ length: MANY }, (_, index) => {
      const sid = `CAf${index.toString(16).padStart(31, '0')}`;
      return { ...ringing, params: { ...ringing.params, CallSid: sid } };
    });
    return storeUnprocessed(stage.app, phone, chapters);
  };
  const countProcessed = async (): Promise<number> => {
    const row = await stage.app.database.get<{ n: number }>(
      `select count(*) as n from deliveries where state = 'processed'`,
    );
    return Number(row?.n);
  };

  test('is processed by a separate thread, all but the first of them', async () => {
    const rows = await storeMany();
    const processing = createProcessing(partsUnableToRead(), settingsOf());
    for (const row of rows) processing.add(row);
    await processing.close();
    assert.equal(await countProcessed(), MANY - 100);
  });

  test('left by an earlier process is processed there too', async () => {
    await storeMany();
    stage.clock.advance(3_600_000);
    let noticed = 0;
    const parts = { ...partsUnableToRead(), onRecorded: () => void noticed++ };
    const processing = createProcessing(parts, settingsOf());
    await processing.workOff();
    await processing.close();
    assert.equal(await countProcessed(), MANY);
    const events = await stage.app.database.all("select id from events where type = 'call.started'");
    assert.equal(events.length, MANY);
    assert.ok(noticed > 0, 'This thread knows that there are new events.');
  });

  test('is processed without the thread if that fails', async () => {
    const rows = await storeMany();
    const { database, ...settings } = settingsOf();
    const url = database.url && new Secret('postgres://nobody@127.0.0.1:1/nothing');
    const broken = { ...database, url, dataDirectory: '/proc/no-such-place' };
    const processing = createProcessing(partsOf(), { ...settings, database: broken });
    for (const row of rows) processing.add(row);
    await processing.settle().catch(() => undefined);
    stage.clock.advance(3_600_000);
    await processing.workOff();
    await processing.close();
    assert.equal(await countProcessed(), MANY);
  });

  test('that waits for long while the clock is set back is processed all the same', async (context) => {
    const rows = await storeMany();
    const processing = createProcessing(partsOf(), null);
    for (const row of rows) processing.add(row);
    const now = performance.now.bind(performance);
    context.mock.method(performance, 'now', () => now() + 60_000);
    stage.clock.advance(-3_600_000);
    await waitUntil('all are processed', async () => (await countProcessed()) === MANY);
    await processing.close();
  });

  test('that waits for too long is left to the database, and done once everything has settled', async (context) => {
    const rows = await storeMany();
    const processing = createProcessing(partsOf(), null);
    for (const row of rows) processing.add(row);
    const now = performance.now.bind(performance);
    context.mock.method(performance, 'now', () => now() + 60_000);
    stage.clock.advance(3_600_000);
    await waitUntil('some are processed or left', async () => (await countProcessed()) > 0);
    await processing.settle();
    assert.equal(await countProcessed(), MANY);
    await processing.close();
  });

  test('leaves no thread behind once it is quiet', async () => {
    const rows = await storeMany();
    const thread = createProcessingThread(partsOf(), settingsOf(), 50);
    for (const row of rows) thread.add(row);
    await waitUntil('the thread runs', () => thread.isRunning());
    await waitUntil(
      'it has done its work and ended',
      async () => (await countProcessed()) === MANY && !thread.isRunning(),
    );
    await thread.close();
  });
});
