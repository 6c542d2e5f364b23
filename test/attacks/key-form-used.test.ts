// Attack: a form that was used says that another key is connected, which nobody has looked at.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { signInToPages } from '../harness/key-browser.ts';
import { openKeysStage } from '../harness/keys-stage.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a form for a key that was used', (engine) => {
  const stage = useStage(() => openKeysStage(engine));
  afterEach(async () => {
    stage.mend();
    await stage.removeConnections();
  });

  const connectOnce = async (key: string) => {
    const { browser, at } = await signInToPages(stage);
    const form = await browser.openForm('/api/integrations/keyed/connect?returnTo=/x');
    const done = await form.submit({ 'fields.api_key': key });
    assert.match(String(done.headers.location), /outcome=connected/);
    return { browser, at, ...form };
  };

  test('does not say that the next key is connected', async () => {
    const { submit, at } = await connectOnce(stage.newKey('staging'));
    for (const key of [stage.newKey('production'), 'no-key-at-all']) {
      const again = await submit({ 'fields.api_key': key });
      assert.equal(again.status, 409);
      assert.match(again.body, /already used/);
    }
    assert.equal((await at.status('keyed')).account?.id, 'staging');
  });

  test('says so when it is opened again', async () => {
    const { browser, action } = await connectOnce(stage.newKey());
    const page = await browser.get(action);
    assert.equal(page.status, 409);
    assert.doesNotMatch(page.body, /type="password"/);
  });

  test('says the same to whoever sent the same key twice', async () => {
    const key = stage.newKey();
    const { submit } = await connectOnce(key);
    assert.match(String((await submit({ 'fields.api_key': key })).headers.location), /outcome=connected/);
  });

  test('does not help to guess the key that someone else has stored since', async () => {
    const { submit, at } = await connectOnce(stage.newKey());
    const other = stage.newKey();
    await stage.connectKey(at.headers, 'keyed', { fields: { api_key: other } });
    const heard = new Set<number>();
    for (let guesses = 0; guesses < 30; guesses++)
      heard.add((await submit({ 'fields.api_key': `guess-${guesses}` })).status);
    assert.deepEqual([...heard], [409, 429]);
    assert.equal((await submit({ 'fields.api_key': other })).status, 429);
  });

  test('does not claim to be connected after a disconnect', async () => {
    const key = stage.newKey();
    const { submit, at } = await connectOnce(key);
    await at.disconnect('keyed');
    assert.equal((await submit({ 'fields.api_key': key })).status, 409);
  });
});
