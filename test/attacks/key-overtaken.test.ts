// Attack: a key whose verification took long takes the place of one that was entered after it.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { onEachEngine } from '../harness/databases.ts';
import { openKeysStage } from '../harness/keys-stage.ts';
import { problemIn } from '../harness/proxy-stage.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('a key that is verified slowly', (engine) => {
  const stage = useStage(() => openKeysStage(engine));
  afterEach(async () => {
    stage.mend();
    await stage.removeConnections();
  });

  /** Sends one key, and while the provider looks at it, another one. */
  const putBoth = async (slow: string, quick: string) => {
    const { admin, at } = await stage.newTeam();
    const [arrived, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isFirst = true;
    stage.api.answer(async (incoming, response) => {
      const id = incoming.headers['x-key'] === slow ? 'slow' : 'quick';
      const waits = isFirst;
      isFirst = false;
      arrived.resolve();
      if (waits) await go.promise;
      response.end(JSON.stringify({ id }));
    });
    const first = stage.put(admin.headers, 'keyed', { fields: { api_key: slow } });
    await arrived.promise;
    stage.clock.advance(1_000);
    const second = await stage.put(admin.headers, 'keyed', { fields: { api_key: quick } });
    assert.equal(second.status, 200);
    go.resolve();
    return { first: await first, at };
  };

  test('does not replace a key that was entered later', async () => {
    const { first, at } = await putBoth(stage.newKey(), stage.newKey());
    assert.deepEqual([first.status, problemIn(first)], [409, 'integrations.key_superseded']);
    assert.equal((await at.status('keyed')).account?.id, 'quick');
  });

  test('is no conflict if it is the same key', async () => {
    const key = stage.newKey();
    assert.equal((await putBoth(key, key)).first.status, 200);
  });

  test('is not refused because a clock was ahead', async () => {
    const { admin } = await stage.newTeam();
    stage.clock.advance(3_600_000);
    await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: stage.newKey() } });
    stage.clock.advance(-3_600_000);
    await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: stage.newKey() } });
  });
});
