import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, test } from 'node:test';
import { createTestApp, createTestClock, type TestApp } from '../../test/harness/app.ts';
import { onEachEngine } from '../../test/harness/databases.ts';
import { holdAnswer } from '../../test/harness/hold-database.ts';
import { waitUntil } from '../../test/harness/wait-until.ts';
import { type Clock, createNewId, Secret, systemClock } from '../platform/index.ts';
import { COMMAND_LINE } from '../teams/index.ts';
import { SealBroken } from './envelope.ts';
import { extendKeyRing, type KeyRing, parseKeyRing } from './key-ring.ts';
import { rotateKeys } from './rotate-keys.ts';
import { type ByteRange, sealedBytes } from './stream-seal.ts';
import { createVault } from './vault.ts';
import { RingIncomplete, wrapTeamKey } from './wrap-team-key.ts';

const place = { record: 'connection-1', field: 'access_token' };

onEachEngine('vault', (engine) => {
  let house: TestApp;
  let first: string;
  let second: string;

  beforeEach(async () => {
    house = await createTestApp(engine);
    first = (await house.createTeam('first')).team.id;
    second = (await house.createTeam('second')).team.id;
  });

  afterEach(() => house.close());

  /** Creates a vault as another process would: with the same database, and nothing in memory. */
  const vaultWith = (ring: KeyRing, reloaded = ring, clock: Clock = systemClock) =>
    createVault({
      database: house.app.database,
      rings: { current: () => ring, reload: () => reloaded },
      clock,
      newId: createNewId(systemClock),
    });

  const ringText = () => house.config.keys?.reveal() ?? '';

  /** Returns the ring as it is after its older keys were removed. */
  const takeFirst = ({ first: { id, key } }: KeyRing): KeyRing =>
    parseKeyRing(new Secret(`${id}:${key.export().toString('base64')}`));

  test('a sealed secret opens in another process, for its team, row and field', async () => {
    const sealed = await house.app.vault.seal(first, place, new Secret('token-of-a-customer'));
    assert.ok(!sealed.includes('token-of-a-customer'));
    assert.equal(
      (await vaultWith(house.app.rings.current()).open(first, place, sealed)).reveal(),
      'token-of-a-customer',
    );
  });

  test('a sealed secret does not open for another team, row or field', async () => {
    const { vault } = house.app;
    const sealed = await vault.seal(first, place, new Secret('x'));
    await assert.rejects(vault.open(second, place, sealed), SealBroken);
    await assert.rejects(vault.open(first, { ...place, record: 'connection-2' }, sealed), SealBroken);
    await assert.rejects(vault.open(first, { ...place, field: 'refresh_token' }, sealed), SealBroken);
    const swapped = sealed.replace(
      /^v1\.[^.]+/,
      (await vault.seal(second, place, new Secret('y'))).split('.').slice(0, 2).join('.'),
    );
    await assert.rejects(vault.open(first, place, swapped), SealBroken);
    await assert.rejects(vault.open(second, place, swapped), SealBroken);
  });

  test('a sealed file opens in parts in another process, only for its team and place', async () => {
    const { vault } = house.app;
    const content = randomBytes(200_000);
    const sealed = await buffer(Readable.from([content]).pipe(await vault.sealStream(first, place)));
    assert.equal(sealed.length, sealedBytes(content.length));
    const source = {
      bytes: content.length,
      read: async ({ start, length }: ByteRange) => Readable.from([sealed.subarray(start, start + length)]),
    };
    const range = { start: 100_000, length: 50_000 };
    const elsewhere = vaultWith(house.app.rings.current());
    const opened = await buffer(await elsewhere.openRange(first, place, source, range));
    assert.ok(opened.equals(content.subarray(100_000, 150_000)));
    await assert.rejects(async () => buffer(await vault.openRange(second, place, source, range)), SealBroken);
    const elsewherePlace = { ...place, record: 'connection-2' };
    await assert.rejects(async () => buffer(await vault.openRange(first, elsewherePlace, source, range)), SealBroken);
  });

  test('a deleted key neither seals nor opens anything from the commit on, and no other key is affected', async () => {
    const { vault, database } = house.app;
    const sealed = await vault.seal(first, place, new Secret('x'));
    const [deleted, committed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const deleting = database.transaction(async (tx) => {
      await vault.deleteTeamKey(tx, first);
      deleted.resolve();
      await committed.promise;
    });
    await deleted.promise;
    assert.ok(await vault.seal(first, place, new Secret('x')), 'The deletion may still be undone.');
    committed.resolve();
    await deleting;
    await assert.rejects(vault.seal(first, place, new Secret('x')), SealBroken);
    await assert.rejects(vault.open(first, place, sealed), SealBroken);
    await assert.rejects(vault.hash(first, 'x'), SealBroken);
    assert.ok(await vault.seal(second, place, new Secret('x')));
  });

  test('a key that is deleted while it is read is not remembered', async () => {
    const { database, rings } = house.app;
    const running = vaultWith(rings.current());
    const link = await house.app.vault.sealLasting('link', second, Buffer.from('x'));
    const uses = [
      [first, () => running.seal(first, place, new Secret('x'))],
      [second, () => running.openLasting('link', link)],
    ] as const;
    for (const [teamId, use] of uses) {
      const held = holdAnswer(database, 'get', 'from team_keys');
      const using: Promise<unknown> = use();
      await held.answered;
      await database.transaction((tx) => running.deleteTeamKey(tx, teamId));
      held.release();
      await using;
      await assert.rejects(running.seal(teamId, place, new Secret('x')), SealBroken);
    }
  });

  for (const [when, passedMs] of [
    ['within minutes', 5 * 60_000],
    ['also if the clock was set back', -1],
  ] as const)
    test(`a key that another process deleted leaves the memory of this one ${when}, and no other key does`, async () => {
      const clock = createTestClock();
      const ring = house.app.rings.current();
      const elsewhere = vaultWith(ring, ring, clock);
      const canSeal = (teamId: string) =>
        elsewhere.seal(teamId, place, new Secret('x')).then(
          () => true,
          () => false,
        );
      assert.deepEqual([await canSeal(first), await canSeal(second)], [true, true]);
      await house.app.database.transaction((tx) => house.app.vault.deleteTeamKey(tx, first));
      clock.advance(passedMs);
      await waitUntil('the key is gone', async () => !(await canSeal(first)));
      assert.equal(await canSeal(second), true);
    });

  test("a team's wrapped key moved to another team does not open", async () => {
    const { database } = house.app;
    const row = await database.get<{ wrapped: string }>('select wrapped from team_keys where team_id = $1', [first]);
    await database.run('update team_keys set wrapped = $1 where team_id = $2', [row?.wrapped ?? '', second]);
    await assert.rejects(vaultWith(house.app.rings.current()).seal(second, place, new Secret('x')), RingIncomplete);
    await assert.rejects(house.app.vault.verifyRing(), RingIncomplete);
  });

  test('a whole key row given to another team does not open', async () => {
    const { database } = house.app;
    await database.run('delete from team_keys where team_id = $1', [second]);
    assert.equal(await database.run('update team_keys set team_id = $1 where team_id = $2', [second, first]), 1);
    await assert.rejects(vaultWith(house.app.rings.current()).seal(second, place, new Secret('x')), RingIncomplete);
    await assert.rejects(vaultWith(house.app.rings.current()).hash(second, 'x'), RingIncomplete);
    await assert.rejects(house.app.vault.verifyRing(), RingIncomplete);
  });

  test('a key row under another id does not open', async () => {
    await house.app.database.run('update team_keys set id = $1 where team_id = $2', ['another', first]);
    await assert.rejects(vaultWith(house.app.rings.current()).seal(first, place, new Secret('x')), RingIncomplete);
  });

  test('rotation rewraps every key while both processes keep running, and the old key can be removed', async () => {
    const sealed = await house.app.vault.seal(first, place, new Secret('kept'));
    const longer = parseKeyRing(new Secret(extendKeyRing(ringText())));
    const seen: [number, number][] = [];
    const wrapped = await rotateKeys({ database: house.app.database, ring: longer }, (done, total) =>
      seen.push([done, total]),
    );
    assert.equal(wrapped, 3);
    assert.deepEqual(seen, [[3, 3]]);
    assert.equal((await house.app.vault.open(first, place, sealed)).reveal(), 'kept');
    const later = vaultWith(takeFirst(longer));
    await later.verifyRing();
    assert.equal((await later.open(first, place, sealed)).reveal(), 'kept');
    assert.equal(await rotateKeys({ database: house.app.database, ring: longer }, () => undefined), 0);
  });

  test('an interrupted rotation continues where it left off', async () => {
    const longer = parseKeyRing(new Secret(extendKeyRing(ringText())));
    const { database } = house.app;
    let calls = 0;
    const failing = {
      ...database,
      transaction: (async (work) => {
        if (++calls === 2) throw new Error('killed');
        return database.transaction(work);
      }) as typeof database.transaction,
    };
    for (let n = 0; n < 150; n++) await house.app.database.transaction(async (tx) => void (await addTeam(tx, n)));
    await assert.rejects(
      rotateKeys({ database: failing, ring: longer }, () => undefined),
      /killed/,
    );
    await vaultWith(longer).verifyRing();
    assert.equal(await rotateKeys({ database, ring: longer }, () => undefined), 53);
    await vaultWith(longer).verifyRing();
  });

  const addTeam = async (tx: Parameters<Parameters<TestApp['app']['database']['transaction']>[0]>[0], n: number) => {
    const id = `team-${n}`;
    await tx.run('insert into teams (id, name, time_zone, payload_days, created_at) values ($1, $1, $2, 30, 0)', [
      id,
      'UTC',
    ]);
    await house.app.vault.addTeamKey(tx, id);
  };

  test('a ring without a needed key, or with another of the same name, is rejected', async () => {
    const other = parseKeyRing(new Secret(extendKeyRing(undefined)));
    await assert.rejects(vaultWith(other).verifyRing(), /is not the one/);
    const foreign = parseKeyRing(new Secret(extendKeyRing(undefined).replace('k1', 'zz')));
    await assert.rejects(vaultWith(foreign).verifyRing(), /is missing key "k1"/);
  });

  test('no key is made with the ring of another database', async () => {
    for (const id of ['k1', 'zz']) {
      const foreign = parseKeyRing(new Secret(extendKeyRing(undefined).replace('k1', id)));
      await house.app.database.run('delete from team_keys where team_id = $1', [second]);
      await assert.rejects(vaultWith(foreign).addTeamKey(house.app.database, second), RingIncomplete);
    }
    await house.app.vault.verifyRing();
  });

  test('a key that was made with another ring is reported with its team, and goes when the team is deleted', async () => {
    const { database, vault, erasure } = house.app;
    const foreign = parseKeyRing(new Secret(extendKeyRing(undefined).replace('k1', 'k9')));
    const row = wrapTeamKey(foreign, { id: 'foreign', teamId: second }, createSecretKey(randomBytes(32)));
    await database.run('update team_keys set id = $1, ring_key_id = $2, wrapped = $3 where team_id = $4', [
      ...[row.id, row.ringKeyId, row.wrapped],
      second,
    ]);
    await assert.rejects(
      vault.verifyRing(),
      (error: Error) => /"k9"/.test(error.message) && error.message.includes(second),
    );
    await erasure.beginAny(COMMAND_LINE, second);
    await vault.verifyRing();
    await vault.seal(first, place, new Secret('x'));
  });

  test('a team that is deleted with the ring of another database keeps its key until it is erased', async () => {
    const foreign = parseKeyRing(new Secret(extendKeyRing(undefined)));
    await house.app.database.transaction((tx) => vaultWith(foreign).dropForeignKey(tx, second));
    await house.app.vault.seal(second, place, new Secret('x'));
  });

  if (engine === 'sqlite')
    test('a ring that does not open the last of many keys is rejected, too', async () => {
      const { database, vault } = house.app;
      await database.transaction(async (tx) => {
        for (let n = 0; n < 500; n++) await addTeam(tx, n);
      });
      await vault.verifyRing();
      await database.run("update team_keys set ring_key_id = 'gone' where id = (select max(id) from team_keys)");
      await assert.rejects(vault.verifyRing(), /is missing key "gone"/);
    });

  if (engine === 'sqlite')
    test('a deleted key leaves the memory also of a process that has used very many', async () => {
      const { database } = house.app;
      const clock = createTestClock();
      const ring = house.app.rings.current();
      const elsewhere = vaultWith(ring, ring, clock);
      const count = 501;
      await database.transaction(async (tx) => {
        for (let n = 0; n < count; n++) await addTeam(tx, n);
      });
      const seal = (n: number) => elsewhere.seal(`team-${n}`, place, new Secret('x'));
      for (let n = 0; n < count; n++) await seal(n);
      const ends = [0, count - 1];
      await database.transaction(async (tx) => {
        for (const n of ends) await house.app.vault.deleteTeamKey(tx, `team-${n}`);
      });
      clock.advance(5 * 60_000);
      for (const n of ends)
        await waitUntil('the key is gone', () =>
          seal(n).then(
            () => false,
            () => true,
          ),
        );
      assert.ok(await seal(1));
    });

  test('a rotation that is overtaken by one with a newer ring leaves its keys alone', async () => {
    const { database } = house.app;
    const longer = extendKeyRing(ringText());
    const [newer, newest] = [parseKeyRing(new Secret(longer)), parseKeyRing(new Secret(extendKeyRing(longer)))];
    const overtaken = {
      ...database,
      transaction: (async (work) => {
        await rotateKeys({ database, ring: newest }, () => undefined);
        return database.transaction(work);
      }) as typeof database.transaction,
    };
    await assert.rejects(
      rotateKeys({ database: overtaken, ring: newer }, () => undefined),
      RingIncomplete,
    );
    await vaultWith(takeFirst(newest)).verifyRing();
  });

  test('a running process gives a new team a key that opens once the old key of the ring is removed', async () => {
    const { database } = house.app;
    const longer = parseKeyRing(new Secret(extendKeyRing(ringText())));
    const running = vaultWith(parseKeyRing(new Secret(ringText())), longer);
    await database.run('delete from team_keys where team_id = $1', [second]);
    await rotateKeys({ database, ring: longer }, () => undefined);
    await running.addTeamKey(database, second);
    const onlyNew = vaultWith(takeFirst(longer));
    await onlyNew.verifyRing();
    assert.ok(await onlyNew.seal(second, place, new Secret('x')));
  });

  test('a running process reads the ring again when it finds an unknown key', async () => {
    const longer = parseKeyRing(new Secret(extendKeyRing(ringText())));
    await rotateKeys({ database: house.app.database, ring: longer }, () => undefined);
    const running = vaultWith(parseKeyRing(new Secret(ringText())), longer);
    assert.ok(await running.seal(first, place, new Secret('x')));
  });
});
