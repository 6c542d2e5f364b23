import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { createRecordingsStage, type RecordingsStage } from '../../../test/harness/recordings-stage.ts';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import { type Database, DatabaseUnavailable } from '../../platform/index.ts';
import { createFullTeams } from './full-teams.ts';
import { createPayloadBudget, type PayloadBudget } from './payload-budget.ts';
import { deletePayloadDaysBefore } from './payload-bytes-store.ts';
import { dayOf } from './payload-counts.ts';

const DAY_MS = 24 * 3_600_000;
const limits = { accounts: 1, numbers: 1, payloadBytes: 1_000, payloadBytesPerDay: 400, recordingBytes: 1 };

onEachEngine('the budget for payloads', (engine) => {
  let stage: RecordingsStage;
  let budgets: PayloadBudget[];

  beforeEach(async () => {
    stage = await createRecordingsStage(engine);
    budgets = [];
  });

  afterEach(async () => {
    for (const budget of budgets) await budget.close();
    await stage.close();
  });

  /** Opens a budget as another process would. */
  const open = (database: Database = stage.database) => {
    const { clock, log } = stage;
    const fullTeams = createFullTeams({ log });
    const budget = createPayloadBudget({ database, clock, log, limits, fullTeams });
    budgets.push(budget);
    return { budget, fullTeams };
  };

  const payload = (size: number, { teamId = stage.team.id, receivedAt = stage.clock.now() } = {}) => ({
    teamId,
    receivedAt,
    payload: 'x'.repeat(size),
  });

  test('counts what was taken, for each team, and lets no more in than fits', async () => {
    const { budget, fullTeams } = open();
    assert.deepEqual(
      [budget.take(payload(300)), budget.take(payload(100)), budget.take(payload(1))],
      [true, true, false],
    );
    assert.equal(budget.take(payload(300, { teamId: stage.other.id })), true);
    assert.equal(fullTeams.count('payloads'), 1);
    assert.deepEqual(await budget.read(stage.team.id), { total: 400, today: 400 });
    await budget.report();
    assert.deepEqual(await budget.read(stage.team.id), { total: 400, today: 400 });
  });

  test('counts what is kept in any case, and takes back what was not stored', async () => {
    const { budget } = open();
    const repeated = payload(150);
    budget.take(repeated);
    await budget.report();
    budget.giveBack(repeated);
    budget.add(payload(20));
    await budget.report();
    assert.deepEqual(await budget.read(stage.team.id), { total: 20, today: 20 });
  });

  test('has room again the next day, until all days together are too much', async () => {
    const { budget } = open();
    for (const fits of [true, true]) {
      assert.equal(budget.take(payload(400)), fits);
      assert.equal(budget.take(payload(10)), false);
      stage.clock.advance(DAY_MS);
    }
    assert.equal(budget.take(payload(400)), false, 'That would be 1,200 in all.');
    await budget.report();
    await deletePayloadDaysBefore(stage.database, stage.team.id, dayOf(stage.clock.now()) - 1);
    await budget.report();
    assert.equal(budget.take(payload(400)), true, 'The first day is erased.');
    assert.deepEqual(await budget.read(stage.team.id), { total: 800, today: 400 });
  });

  test('counts a payload for the day on which it came', async () => {
    const { budget } = open();
    assert.equal(budget.take(payload(300, { receivedAt: stage.clock.now() - DAY_MS })), true);
    assert.equal(budget.take(payload(300)), true);
    assert.deepEqual(await budget.read(stage.team.id), { total: 600, today: 300 });
    await budget.report();
    assert.deepEqual(await budget.read(stage.team.id), { total: 600, today: 300 });
    assert.equal(budget.take(payload(100)), true);
    assert.equal(budget.take(payload(1)), false);
  });

  test('has room again only well below its limit', async () => {
    const { budget, fullTeams } = open();
    const whole = payload(400);
    const isFullWithout = async (bytes: number): Promise<boolean> => {
      budget.giveBack(payload(bytes));
      await budget.report();
      return fullTeams.has('payloads', stage.team.id);
    };
    budget.take(whole);
    assert.equal(budget.take(payload(1)), false);
    assert.equal(await isFullWithout(39), true);
    assert.equal(await isFullWithout(1), false);
    assert.equal(budget.take(payload(40)), true);
  });

  test('looks every minute whether a full team has room again, even if nothing comes', async (context) => {
    const { budget, fullTeams } = open();
    budget.take(payload(400));
    assert.equal(budget.take(payload(1)), false);
    context.mock.timers.enable({ apis: ['setTimeout'] });
    await budget.report();
    await deletePayloadDaysBefore(stage.database, stage.team.id, dayOf(stage.clock.now()) + 1);
    context.mock.timers.tick(60_000);
    context.mock.timers.reset();
    await waitUntil('there is room again', () => !fullTeams.has('payloads', stage.team.id));
  });

  test('is known to the next process, and to others that run', async () => {
    const { budget: first } = open();
    first.take(payload(390));
    await first.close();
    const { budget: second } = open();
    const { budget: third } = open();
    second.add(payload(1));
    third.add(payload(1));
    await Promise.all([second.report(), third.report()]);
    await Promise.all([second.report(), third.report()]);
    assert.deepEqual([second.take(payload(20)), third.take(payload(20))], [false, false]);
    assert.deepEqual(await second.read(stage.team.id), { total: 392, today: 392 });
  });

  test('counts on while the database is unavailable, and adds it up afterward', async () => {
    let isAway = true;
    const runFrom: Database['runFrom'] = (...statement) =>
      isAway ? Promise.reject(new DatabaseUnavailable('away')) : stage.database.runFrom(...statement);
    const { budget } = open({ ...stage.database, runFrom });
    assert.equal(budget.take(payload(350)), true);
    await budget.report();
    assert.equal(budget.take(payload(100)), false);
    isAway = false;
    await budget.report();
    assert.deepEqual(await budget.read(stage.team.id), { total: 350, today: 350 });
    assert.deepEqual(
      stage.lines.filter(({ message }) => message.includes('added up')),
      [],
    );
  });

  test('forgets nothing that comes while it is added up', async () => {
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const allFrom: Database['allFrom'] = async (...statement) => {
      const rows = await stage.database.allFrom(...statement);
      asked.resolve();
      await answered.promise;
      return rows as never;
    };
    const { budget } = open({ ...stage.database, allFrom });
    budget.take(payload(300));
    await asked.promise;
    assert.equal(budget.take(payload(100)), true);
    answered.resolve();
    await budget.report();
    assert.equal(budget.take(payload(1)), false);
    await budget.report();
    assert.deepEqual(await budget.read(stage.team.id), { total: 400, today: 400 });
  });

  test('forgets nothing that comes while the database turns out to be unavailable', async () => {
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isAway = true;
    const runFrom: Database['runFrom'] = async (...statement) => {
      if (!isAway) return stage.database.runFrom(...statement);
      asked.resolve();
      await answered.promise;
      throw new DatabaseUnavailable('away');
    };
    const { budget } = open({ ...stage.database, runFrom });
    budget.take(payload(300));
    await asked.promise;
    budget.take(payload(100));
    answered.resolve();
    await budget.report();
    isAway = false;
    await budget.report();
    assert.deepEqual(await budget.read(stage.team.id), { total: 400, today: 400 });
  });

  test('of a team that is being erased does not take those of others along', async () => {
    const { budget } = open();
    const gone = stage.newId();
    for (const teamId of [gone, stage.team.id]) budget.add(payload(1, { teamId }));
    await budget.report();
    await budget.report();
    // Both teams are known now, so their bytes are added up together.
    budget.add(payload(10, { teamId: gone }));
    budget.add(payload(20));
    await budget.report();
    assert.deepEqual(await budget.read(stage.team.id), { total: 21, today: 21 });
    assert.deepEqual(await budget.read(gone), { total: 0, today: 0 });
  });

  test('costs no statement per delivery', async () => {
    let statements = 0;
    const counted: Database = {
      ...stage.database,
      runFrom(...statement) {
        statements++;
        return stage.database.runFrom(...statement);
      },
      allFrom(...statement) {
        statements++;
        return stage.database.allFrom(...statement);
      },
    };
    const { budget } = open(counted);
    for (let count = 0; count < 100; count++) budget.take(payload(1));
    await budget.report();
    await budget.report();
    assert.ok(statements <= 4, `${statements} statements`);
    assert.deepEqual(await budget.read(stage.team.id), { total: 100, today: 100 });
  });
});
