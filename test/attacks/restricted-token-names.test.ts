import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { useStage } from '../harness/use-stage.ts';

const PROVIDER = 'acme-full';

onOneEngine('a restricted token for one connection', (engine) => {
  const stage = useStage(() => openProxyStage(engine));

  test('learns nothing about the others', async () => {
    const { at, admin } = await stage.connected();
    for (const connection of ['secret-client-a', 'secret-client-b'])
      await at.connect(PROVIDER, stage.newAccount(), { connection });
    const allow = [{ provider: PROVIDER, connection: 'default' }];
    const token = await makeToken(stage.server, admin.headers, { allow });
    await at.disconnect(PROVIDER, 'default');
    stage.clock.advance(2_000);
    for (const query of ['', '?connection=default', '?connection=other']) {
      const answer = await stage.call(stage.proxied(`user${query}`), { headers: token });
      assert.ok(!answer.body.includes('secret-client'), `${query}: ${answer.status} ${answer.body}`);
    }
  });

  test('learns nothing about the only other one, and does not refresh it', async () => {
    const { at, admin } = await stage.connected();
    await at.connect(PROVIDER, stage.newAccount(), { connection: 'secret-client' });
    const allow = [{ provider: PROVIDER, connection: 'default' }];
    const token = await makeToken(stage.server, admin.headers, { allow });
    await at.disconnect(PROVIDER, 'default');
    stage.clock.advance(2_000);
    const answer = await stage.call(stage.proxied('user'), { headers: token });
    assert.ok(!answer.body.includes('secret-client'), `${answer.status} ${answer.body}`);
  });
});
