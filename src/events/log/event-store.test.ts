import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../../../test/harness/app.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { findSearches, rememberStatements } from '../../../test/harness/explain-statements.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import type { Database, Queries } from '../../platform/index.ts';
import { filtersOfLog, toFilters } from './event-filter.ts';
import { listEventsOfCustomers, listEventsOfTeam } from './event-range-store.ts';
import { deleteEventsOfTeam, insertEvents, listEventsAbout } from './event-store.ts';
import { getLogEnds } from './log-store.ts';
import { numberEvents } from './number-events.ts';

const RANGE = { after: 0, upTo: 1_000, limit: 3, filters: filtersOfLog(false) };

onEachEngine('a few events among very many', (engine) => {
  const house = useStage(() => createTestApp(engine));

  /** How each statement of the work finds its rows, one line per search. */
  const watch = async (work: (database: Database) => Promise<unknown>): Promise<string[]> => {
    const { database, statements } = rememberStatements(house.app.database);
    await work(database);
    const searches = await Promise.all(statements.map((statement) => findSearches(house.app.database, statement)));
    return searches.flat();
  };

  // Only on SQLite, because PostgreSQL may use any index for an empty table.
  for (const types of engine === 'sqlite' ? ([['report.ready'], ['report.ready', 'call.missed']] as const) : [])
    test(`are found by ${types.length === 1 ? 'their type' : 'several types'}, and not by reading all others`, async () => {
      const ofTeam = await watch((database) =>
        listEventsOfTeam(database, 'team', { ...RANGE, filters: toFilters(types) }),
      );
      assert.equal(ofTeam.filter((line) => /events_of_type .*type/.test(line)).length, types.length);
      const ofCustomers = await watch((database) =>
        listEventsOfCustomers(database, { ...RANGE, filters: toFilters(types) }),
      );
      assert.equal(ofCustomers.filter((line) => /events_of_customers_type .*type/.test(line)).length, types.length);
      for (const line of [...ofTeam, ...ofCustomers])
        assert.doesNotMatch(line, /events_of_(?:team|customers) .*position>/);
    });

  test('are in the order of the log, whatever their type, and no more than wanted', async () => {
    const { team } = await house.createTeam('several-types');
    const record = (type: 'call.started' | 'call.missed' | 'report.ready', subject: string) =>
      house.app.database.transaction((tx) =>
        house.app.events.record(tx, { teamId: team.id, type, subject, data: { id: subject } }),
      );
    for (const round of [1, 2, 3])
      for (const type of ['report.ready', 'call.missed', 'call.started'] as const)
        await record(type, `${type} ${round}`);
    await house.app.events.findLogEnd(null);
    const events = await listEventsOfTeam(house.app.database, team.id, {
      ...RANGE,
      filters: toFilters(['call.started', 'report.ready']),
    });
    assert.deepEqual(
      events.map(({ subject }) => subject),
      ['report.ready 1', 'call.started 1', 'report.ready 2'],
    );
  });

  test('about the same thing are found by it while one more is recorded, however many have no place yet', async () => {
    const { team } = await house.createTeam('recorded-before');
    const events = Array.from({ length: 500 }, (_, index) => ({
      ...{ teamId: team.id, type: 'call.started' as const, subject: `call-${index}`, data: {} },
    }));
    await house.app.database.transaction((tx) => house.app.events.record(tx, ...events));
    await house.app.events.findLogEnd(null);
    if (engine === 'postgresql') await house.app.database.run('analyze events');
    const row = { id: 'id', teamId: 'team', teamKey: null, type: 'call.started', subject: 'call' } as const;
    const lines = await watch((database) =>
      database.transaction((tx) =>
        insertEvents(tx, [{ ...row, provider: null, topic: null, data: null, stamp: 1, createdAt: 1 }]),
      ),
    );
    const found = lines.filter((line) => /events_(?:unnumbered|of_)/.test(line));
    assert.ok(found.length > 0);
    for (const line of found) assert.match(line, /events_unnumbered .*stamp >=|events_of_subject .*subject/);
  });

  test('that happened to one thing are found in the index, however often something did', async () => {
    if (engine === 'sqlite') {
      const lines = await watch((database) =>
        listEventsAbout(database, 'team', ['call'], { about: 'anything', limit: 10 }),
      );
      assert.ok(lines.some((line) => /COVERING INDEX events_of_subject .*subject/.test(line)));
    }
    const { team } = await house.createTeam('about');
    for (const type of ['call.started', 'call.ended', 'call.missed'] as const)
      await house.app.database.transaction((tx) =>
        house.app.events.record(tx, { teamId: team.id, type, subject: 'call', data: {} }),
      );
    await house.app.events.findLogEnd(null);
    const events = await listEventsAbout(house.app.database, team.id, ['call', 'other'], {
      about: 'anything',
      limit: 2,
    });
    assert.deepEqual(
      events.map(({ type }) => type),
      ['call.missed', 'call.ended'],
    );
  });

  test('of a team that is erased are deleted in the order of an index', async () => {
    const { database, statements } = rememberStatements(house.app.database);
    await deleteEventsOfTeam(database, 'team', async () => undefined);
    const texts = statements.map(({ text }) => text).filter((text) => text.includes('delete from events'));
    assert.equal(texts.length, 1);
    const { team } = await house.createTeam('erased');
    const events = Array.from({ length: 1_000 }, (_, index) => ({
      ...{ teamId: team.id, type: 'call.started' as const, subject: `call-${index}`, data: {} },
    }));
    await house.app.database.transaction((tx) => house.app.events.record(tx, ...events));
    if (engine === 'postgresql') await house.app.database.run('analyze events');
    const explain = engine === 'sqlite' ? 'explain query plan' : 'explain';
    const plan = await house.app.database.all(`${explain} ${texts[0]}`, [team.id]);
    assert.match(JSON.stringify(plan), /events_of_subject/);
    await house.app.events.findLogEnd(null);
  });

  test('are numbered once, however many wait for that', async () => {
    const { team } = await house.createTeam('numbered');
    await house.app.database.transaction((tx) =>
      house.app.events.record(tx, { teamId: team.id, type: 'call.started', subject: 'call', data: {} }),
    );
    let transactions = 0;
    const database: Database = {
      ...house.app.database,
      transaction(work) {
        transactions++;
        return house.app.database.transaction(work);
      },
    };
    await Promise.all(Array.from({ length: 20 }, () => numberEvents({ database })));
    assert.equal(transactions, 1);
    assert.equal((await listEventsOfTeam(house.app.database, team.id, { ...RANGE, upTo: 10_000 })).length, 1);
  });

  // Only on PostgreSQL, because SQLite has a single process that writes.
  if (engine === 'postgresql')
    test('leave no gap if two processes number them at the same moment', async () => {
      const { database, events } = house.app;
      const { team } = await house.createTeam('numbered-twice');
      await events.findLogEnd(null);
      const { position: end } = await getLogEnds(database);
      const news = [1, 2, 3].map((subject) => ({
        ...{ teamId: team.id, type: 'call.started' as const, subject: `call-${subject}`, data: {} },
      }));
      await database.transaction((tx) => events.record(tx, ...news));
      const [listed, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const transaction: Database['transaction'] = (work) =>
        database.transaction((tx) => {
          const all: Queries['all'] = async <Row extends object>(...[text, values]: Parameters<Queries['all']>) => {
            const rows = await tx.all<Row>(text, values);
            if (text.includes('position is null')) {
              listed.resolve();
              await goOn.promise;
            }
            return rows;
          };
          return work({ ...tx, all });
        });
      const slow = numberEvents({ database: { ...database, transaction } });
      await listed.promise;
      let hasEnded = false;
      const quick = numberEvents({ database: { ...database } }).finally(() => {
        hasEnded = true;
      });
      const waiting = `select 1 as one from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      await waitUntil('it waits', async () => hasEnded || (await database.get(waiting)) !== undefined);
      goOn.resolve();
      await Promise.all([slow, quick]);
      const found = await listEventsOfTeam(database, team.id, { ...RANGE, after: end, upTo: end + 10, limit: 10 });
      assert.deepEqual(
        found.map(({ position, sequence }) => [position - end, sequence]),
        [1, 2, 3].map((number) => [number, number]),
      );
    });
});
