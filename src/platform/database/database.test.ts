import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { createTestStore, onEachEngine } from '../../../test/harness/databases.ts';
import { startStopwatch } from '../../../test/harness/start-stopwatch.ts';
import { prepare, useStage } from '../../../test/harness/use-stage.ts';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import { DatabaseUnavailable, UniqueViolation } from './database.ts';
import { openDatabase } from './open-database.ts';

onEachEngine('database', (engine) => {
  const store = prepare(() => createTestStore(engine));
  const database = useStage(async () => openDatabase(store.settings, () => undefined));

  before(() =>
    database.transaction((tx) =>
      tx.script(
        'create table things (id text primary key, amount bigint, flag boolean, body bytea, parent text references things (id))',
      ),
    ),
  );

  afterEach(() => database.run('delete from things'));

  after(() => store.remove());

  /** Longer than any test. PostgreSQL can wait without using the processor. */
  const endless =
    engine === 'sqlite'
      ? 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000000000) select count(*) as c from n'
      : 'select count(pg_sleep(86400)) as c';

  const put = (id: string, amount: number | null = null) =>
    database.run('insert into things (id, amount) values ($1, $2)', [id, amount]);
  const count = async () => (await database.get<{ n: number }>('select count(*) as n from things'))?.n;

  if (engine === 'sqlite')
    test('a full disk is called that', async () => {
      const limited = openDatabase(store.settings, () => undefined);
      const limit = async () => {
        await limited.get('pragma max_page_count = 1');
        await limited.run('insert into things (id, body) values ($1, $2)', ['large', new Uint8Array(5_000_000)]);
      };
      await assert.rejects(limit(), (error: Error) => {
        assert.ok(error instanceof DatabaseUnavailable);
        return /^The disk is full/.test(error.message);
      });
      await limited.close();
    });

  test('values come back as they went in, integers as numbers', async () => {
    const big = Number.MAX_SAFE_INTEGER;
    await database.run('insert into things (id, amount, body) values ($2, $1, $3)', [
      big,
      'a',
      new Uint8Array([0, 255]),
    ]);
    const row = await database.get<{ amount: number; body: Uint8Array }>(
      'select amount, body from things where id = $1',
      ['a'],
    );
    assert.equal(row?.amount, big);
    assert.deepEqual([...(row?.body ?? [])], [0, 255]);
  });

  test('integers stay integers in arithmetic, and booleans compare', async () => {
    assert.equal((await database.get<{ half: number }>('select cast($1 as bigint) / 2 as half', [7]))?.half, 3);
    await database.run('insert into things (id, flag) values ($1, $2)', ['a', true]);
    assert.equal((await database.all('select id from things where flag = $1', [true])).length, 1);
  });

  test('an undefined value is rejected on both engines', async () => {
    await assert.rejects(database.run('insert into things (id) values ($1)', [undefined as never]), TypeError);
  });

  test('a write can return rows outside a transaction', async () => {
    const row = await database.get<{ id: string }>("insert into things (id) values ('a') returning id");
    assert.equal(row?.id, 'a');
    assert.equal(await count(), 1);
  });

  test('a duplicate key is a UniqueViolation', async () => {
    await put('a');
    await assert.rejects(put('a'), UniqueViolation);
  });

  test('foreign keys are enforced', async () => {
    await assert.rejects(database.run('insert into things (id, parent) values ($1, $2)', ['a', 'nobody']));
    assert.equal(await count(), 0);
  });

  test('run returns how many rows changed', async () => {
    await put('a');
    await put('b');
    assert.equal(await database.run('update things set amount = $1', [5]), 2);
    assert.equal(await database.run('delete from things where id = $1', ['nobody']), 0);
  });

  test('a transaction commits everything, then runs its effects, and is invisible before', async () => {
    const seen: (number | undefined)[] = [];
    const step = Promise.withResolvers<void>();
    const work = database.transaction(async (tx) => {
      await tx.run('insert into things (id) values ($1)', ['a']);
      tx.afterCommit(() => seen.push(-1));
      await step.promise;
    });
    seen.push(await count());
    step.resolve();
    await work;
    seen.push(await count());
    assert.deepEqual(seen, [0, -1, 1]);
  });

  test('a transaction that throws leaves nothing behind and runs no effects', async () => {
    let ran = false;
    const failing = database.transaction(async (tx) => {
      await tx.run('insert into things (id) values ($1)', ['a']);
      tx.afterCommit(() => {
        ran = true;
      });
      throw new Error('no');
    });
    await assert.rejects(failing, /no/);
    assert.equal(await count(), 0);
    assert.equal(ran, false);
  });

  test('the database itself cannot be used inside a transaction', async () => {
    await assert.rejects(
      database.transaction(() => database.get('select 1 as one')),
      /Use the transaction/,
    );
    await assert.rejects(
      database.transaction(() => database.transaction(async () => undefined)),
      /Use the transaction/,
    );
  });

  test('concurrent transactions on one row lose no update', async () => {
    await put('a', 0);
    const addOne = () =>
      database.transaction(async (tx) => {
        const row = await tx.get<{ amount: number }>('select amount from things where id = $1 for update', ['a']);
        await tx.run('update things set amount = $1 where id = $2', [(row?.amount ?? 0) + 1, 'a']);
      });
    await Promise.all(Array.from({ length: 20 }, addOne));
    assert.equal((await database.get<{ amount: number }>('select amount from things'))?.amount, 20);
  });

  if (engine === 'postgresql')
    test('of two transactions that wait for each other, one goes on, and for the other the database is unavailable', async () => {
      await put('a', 0);
      await put('b', 0);
      const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const addInOrder = (ids: readonly string[], at: 0 | 1) =>
        database.transaction(async (tx) => {
          await tx.run("set local deadlock_timeout = '10ms'");
          for (const id of ids) {
            await tx.run('update things set amount = amount + 1 where id = $1', [id]);
            both[at]?.resolve();
            await both[1 - at]?.promise;
          }
        });
      const ends = await Promise.allSettled([addInOrder(['a', 'b'], 0), addInOrder(['b', 'a'], 1)]);
      const losers = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
      assert.equal(losers.length, 1);
      assert.ok(losers[0] instanceof DatabaseUnavailable, String(losers[0]));
      assert.deepEqual(await database.all('select id, amount from things order by id'), [
        { id: 'a', amount: 1 },
        { id: 'b', amount: 1 },
      ]);
    });

  if (engine === 'postgresql')
    test('the database is unavailable if the server refuses something for now, and not if it refuses it for good', async () => {
      const isUnavailable = async (code: string): Promise<boolean> => {
        const raise = `do $$ begin raise exception 'no' using errcode = '${code}'; end $$`;
        return database.run(raise).then(
          () => assert.fail('It was not refused.'),
          (error) => error instanceof DatabaseUnavailable,
        );
      };
      // Read-only, idle for too long, a conflict, too many connections, an operator's command, a disk error.
      for (const code of ['25006', '25P03', '40001', '53300', '57P01', '58030'])
        assert.equal(await isUnavailable(code), true, code);
      for (const code of ['22012', '23502', '42P01']) assert.equal(await isUnavailable(code), false, code);
    });

  test('a long read returns rows, and cannot write', async () => {
    const odd = 'quotes " and \\, a line\nend, \u2028, \u{1f4de}';
    await put(odd, Number.MAX_SAFE_INTEGER);
    await put('b');
    assert.deepEqual(await database.scan('select id, amount from things where id <> $1 order by id', ['nobody']), [
      ['b', null],
      [odd, Number.MAX_SAFE_INTEGER],
    ]);
    assert.deepEqual(await database.scan('select id from things where id = $1', ['nobody']), []);
    await assert.rejects(database.scan('delete from things where id = $1 returning id', ['b']));
    assert.equal(await count(), 2);
  });

  test('long reads time out, and other queries go on meanwhile, no matter how many there are', async () => {
    const hurried = openDatabase({ ...store.settings, poolSize: 2, scanTimeoutMs: 400 }, () => undefined);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    const reads = Array.from({ length: 6 }, () => hurried.scan(endless, []));
    const ended = Promise.all(reads.map((read) => assert.rejects(read, DatabaseUnavailable)));
    const write = hurried.run("insert into things (id) values ('a')");
    assert.equal(await Promise.race([write, ended.then(() => 'only when they had ended')]), 1);
    await ended;
    clearInterval(timer);
    assert.ok(ticks > 10, `the event loop stood still: ${ticks} ticks`);
    assert.equal((await database.scan('select id from things', [])).length, 1);
    await hurried.close();
  });

  test('ending a long read does not affect others', async () => {
    // Long enough for the other reads, each of which may have to wait for a process to start on a busy machine.
    const hurried = openDatabase({ ...store.settings, scanTimeoutMs: 2_500 }, () => undefined);
    const reads = [hurried.scan(endless, []), hurried.scan(endless, [])];
    const ended = Promise.all(reads.map((read) => assert.rejects(read, DatabaseUnavailable)));
    const others = [1, 2, 3].map((number) => hurried.scan('select cast($1 as bigint) as n', [number]));
    await ended;
    assert.deepEqual(await Promise.all(others), [[[1]], [[2]], [[3]]]);
    await hurried.close();
  });

  test('closing does not wait for long reads, and rejects all of them', async () => {
    const closing = openDatabase(store.settings, () => undefined);
    // Starts the reading process.
    await closing.scan('select 1 as one', []);
    const reads = Array.from({ length: 4 }, () => closing.scan(endless, []));
    const ended = Promise.all(reads.map((read) => assert.rejects(read, DatabaseUnavailable)));
    await closing.get('select 1 as one');
    const readMs = startStopwatch();
    await closing.close();
    await ended;
    assert.ok(readMs() < 5_000, 'It would have gone on for thirty seconds.');
  });

  if (engine === 'postgresql')
    test('the server ends a long read whose process is gone', async () => {
      const leaving = openDatabase(store.settings, () => undefined);
      const endless =
        'with recursive n (i) as (select 2 union all select i + 1 from n where i < 2000000000) select count(*) as c from n';
      const countReads = async (): Promise<number> => {
        const sql = `select count(*) as n from pg_stat_activity
          where datname = current_database() and state = 'active' and query = $1`;
        return (await database.get<{ n: number }>(sql, [endless]))?.n ?? 0;
      };
      const read = assert.rejects(leaving.scan(endless, []), DatabaseUnavailable);
      await waitUntil('the read has begun', async () => (await countReads()) === 1);
      await leaving.close();
      await read;
      await waitUntil('the server has ended it', async () => (await countReads()) === 0);
    });

  test('a diagnosis has version, size and tables', async () => {
    await put('a');
    const diagnosis = await database.diagnose(5_000);
    assert.match(diagnosis.version, /^\d+\.\d+/);
    assert.ok((diagnosis.sizeBytes ?? 0) > 0);
    assert.equal(diagnosis.integrity, 'ok');
    assert.ok(Math.abs(diagnosis.clockSkewMs) < 1_000);
    assert.ok(diagnosis.tables.some(({ name }) => name === 'things'));
  });
});
