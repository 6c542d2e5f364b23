// Attack: a provider rejects a working key by mistake (a firewall, maintenance), or the clock was ahead when a key was verified.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openKeysStage } from '../harness/keys-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

onOneEngine('a key', (engine) => {
  const stage = useStage(() => openKeysStage(engine));
  afterEach(async () => {
    stage.mend();
    await stage.removeConnections();
  });

  test('that was rejected once by mistake works again minutes later', async () => {
    const { admin, at } = await stage.newTeam();
    await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: stage.newKey() } });
    stage.clock.advance(DAY_MS);
    stage.api.answer((_, response) => response.writeHead(403).end());
    await stage.app.integrations.verifyDue();
    assert.equal((await at.status('keyed')).status, 'needs_reconnect');
    stage.mend();
    stage.clock.advance(5 * MINUTE_MS);
    await stage.app.integrations.verifyDue();
    assert.equal((await at.status('keyed')).status, 'connected');
    assert.equal((await stage.ask('GET', '/api/integrations/keyed/proxy/x', admin.headers)).status, 200);
  });

  test('that was verified while the clock was ahead is verified again once it is right', async () => {
    const { admin, at } = await stage.newTeam();
    const key = stage.newKey();
    await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: key } });
    stage.clock.advance(30 * DAY_MS);
    await stage.app.integrations.verifyDue();
    stage.clock.advance(-30 * DAY_MS);
    stage.endKey(key);
    await stage.app.integrations.verifyDue();
    assert.equal((await at.status('keyed')).status, 'needs_reconnect');
  });

  test('that was refused while the clock was ahead is verified again when it is refused', async () => {
    const { admin, at } = await stage.newTeam();
    const key = stage.newKey();
    const refuse = async () => {
      stage.api.answer((_, response) => response.writeHead(401).end());
      assert.equal((await stage.ask('GET', '/api/integrations/keyed/proxy/x', admin.headers)).status, 401);
      stage.mend();
    };
    await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: key } });
    // Not far enough for the next verification to stand out.
    stage.clock.advance(30 * MINUTE_MS);
    await refuse();
    await stage.app.integrations.verifyDue();
    stage.clock.advance(-30 * MINUTE_MS);
    stage.endKey(key);
    await refuse();
    await stage.app.integrations.verifyDue();
    assert.equal((await at.status('keyed')).status, 'needs_reconnect');
  });
});
