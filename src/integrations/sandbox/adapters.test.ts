import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestStore, onEachEngine } from '../../../test/harness/databases.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { deleteExpiredIssued } from '../../oauth/index.ts';
import { openDatabase } from '../../platform/index.ts';
import { createAdapters, storeIssued } from './adapters.ts';

const HOUR = 3_600;

onEachEngine('what the sandbox has issued', (engine) => {
  const stage = useStage(async () => {
    const store = await createTestStore(engine);
    const database = openDatabase(store.settings, () => undefined);
    const close = async (): Promise<void> => {
      await database.close();
      await store.remove();
    };
    return { database, close };
  });

  /** Opens a new adapter, as each start does. */
  const open = (kind = 'RefreshToken', most?: number) => storeIssued(kind, stage.database, most);
  const list = () => stage.database.all('select * from sandbox_issued');
  const empty = () => stage.database.run('delete from sandbox_issued');

  test('is found after a restart as it was, by its token, which is not stored', async () => {
    const issued = {
      jti: 'secret-token',
      kind: 'RefreshToken',
      grantId: 'grant',
      accountId: 'sandbox-1',
      exp: 4_000_000_000,
    };
    await open().upsert('secret-token', issued, HOUR);
    assert.deepEqual(await open().find('secret-token'), issued);
    assert.equal(await open().find('another-token'), undefined);
    assert.equal(await open('AccessToken').find('secret-token'), undefined, 'It is of another kind.');
    assert.doesNotMatch(JSON.stringify(await list()), /secret-token/);
    await empty();
  });

  test('is spent once, and still spent after a restart', async () => {
    await open().upsert('spent', { jti: 'spent', grantId: 'grant' }, HOUR);
    const both = await Promise.allSettled([open().consume('spent'), open().consume('spent')]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.ok((await open().find('spent'))?.consumed);
    await assert.rejects(open().consume('spent'), { error: 'invalid_grant' });
    await empty();
  });

  test('is gone once it was revoked, with all that belongs to the same grant and nothing else', async () => {
    await open('Grant').upsert('first', { jti: 'first' }, HOUR);
    for (const kind of ['RefreshToken', 'AccessToken'])
      for (const grantId of ['first', 'second']) await open(kind).upsert(`${kind} ${grantId}`, { grantId }, HOUR);
    await open('Grant').destroy('first');
    for (const kind of ['RefreshToken', 'AccessToken']) await open(kind).revokeByGrantId('first');
    assert.equal(await open('Grant').find('first'), undefined);
    for (const kind of ['RefreshToken', 'AccessToken']) {
      assert.equal(await open(kind).find(`${kind} first`), undefined);
      assert.ok(await open(kind).find(`${kind} second`));
    }
    await empty();
  });

  test('is not found once it has expired, and pruned', async () => {
    await open().upsert('short', { jti: 'short' }, -1);
    await open().upsert('long', { jti: 'long' }, HOUR);
    assert.equal(await open().find('short'), undefined);
    assert.equal((await list()).length, 1);
    await deleteExpiredIssued(stage.database, 'sandbox_issued', Date.now() + 2 * HOUR * 1_000);
    assert.deepEqual(await list(), []);
  });

  test('is not pushed out by grants that nobody redeems, however many there are', async () => {
    const toAdapter = createAdapters(stage.database);
    const [grants, tokens] = [toAdapter('Grant'), toAdapter('RefreshToken')];
    const exp = Math.floor(Date.now() / 1_000) + HOUR;
    const begin = (id: string) => grants.upsert(id, { jti: id, exp }, HOUR);
    await begin('redeemed');
    assert.ok(await grants.find('redeemed'), 'It is found before it is stored.');
    await tokens.upsert('token', { jti: 'token', grantId: 'redeemed' }, HOUR);
    for (let count = 0; count < 1_001; count++) await begin(`stranger-${count}`);
    assert.deepEqual(await open('Grant').find('redeemed'), { jti: 'redeemed', exp });
    assert.ok(await open().find('token'));
    assert.equal((await list()).length, 2);
    await grants.destroy('redeemed');
    assert.equal(await grants.find('redeemed'), undefined);
    await empty();
  });

  test('is limited for each kind: what is spent goes first, then the oldest', async () => {
    await open('Grant').upsert('grant', { jti: 'grant' }, HOUR);
    /** Adds a token that is newer than all before it. */
    const add = async (id: string): Promise<void> => {
      await stage.database.run('update sandbox_issued set created_at = created_at - 1000');
      await open('RefreshToken', 3).upsert(id, { jti: id }, HOUR);
    };
    for (const id of ['oldest', 'next', 'spent']) await add(id);
    await open().consume('spent');
    await add('a');
    const areKept = async (...ids: string[]) =>
      (await Promise.all(ids.map((id) => open().find(id)))).map((payload) => payload !== undefined);
    assert.deepEqual(await areKept('oldest', 'next', 'spent', 'a'), [true, true, false, true]);
    await add('b');
    assert.deepEqual(await areKept('oldest', 'next', 'a', 'b'), [false, true, true, true]);
    assert.ok(await open('Grant').find('grant'));
    await empty();
  });
});
