import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addUsage } from '../../src/integrations/usage/usage-store.ts';
import { BROWSER } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

const HOUR_MS = 3_600_000;
const PROVIDER = 'acme-full';

onOneEngine('the pages show how connections are used', (engine) => {
  const stage = useStage(() => openProxyStage(engine));

  const open = async () => {
    const { team, admin } = await stage.connected();
    const { headers } = await openSession(stage, admin.user);
    const { id: connectionId } = await stage.row(team.id, PROVIDER);
    const read = async (path: string): Promise<string> => {
      const { statusCode, body } = await stage.server.inject({ url: path, headers: { ...BROWSER, ...headers } });
      assert.equal(statusCode, 200, body);
      return body;
    };
    /** So many hours ago. */
    const use = (ago: number, counted: { requests: number; failures: number; bytes: number }): Promise<void> => {
      const usedAt = stage.clock.now() - ago * HOUR_MS;
      const hour = Math.floor(usedAt / HOUR_MS);
      const row = { teamId: team.id, connectionId, tokenId: null, hour, usedAt, ...counted };
      return stage.app.database.transaction((tx) => addUsage(tx, [row]));
    };
    return { read, use };
  };

  test('and that one was never used', async () => {
    const { read } = await open();
    assert.match(await read('/integrations'), /Not used yet/);
    const page = await read(`/integrations/${PROVIDER}`);
    assert.match(page, /<dt>Last request<\/dt><dd>None yet<\/dd>/);
    assert.doesNotMatch(page, /Last 7 days/);
  });

  test('on each day of the last week', async () => {
    const { read, use } = await open();
    const others = await open();
    await use(24 * 8, { requests: 7_000, failures: 7_000, bytes: 1 });
    await use(24 * 3, { requests: 5_000, failures: 0, bytes: 2_500_000 });
    await use(23, { requests: 1, failures: 1, bytes: 0 });
    await use(0, { requests: 1_233, failures: 11, bytes: 4_321 });
    const days = /aria-label="Requests per day, oldest first: 0, 0, 0, 5000, 0, 0, 1234"/;
    const list = await read('/integrations');
    assert.match(list, /6,234 requests in 7 days/);
    assert.match(list, days);
    const page = await read(`/integrations/${PROVIDER}`);
    assert.match(page, /<dt>Last request<\/dt><dd><time /);
    assert.match(page, /<dt>Last 7 days<\/dt><dd>6,234 requests, 12 failed, 2\.5 MB<svg/);
    assert.match(page, days);
    assert.match(await others.read('/integrations'), /Not used yet/, "Nobody else's are counted.");
  });

  test('and when one was last used, if that is long ago', async () => {
    const { read, use } = await open();
    await use(24 * 30, { requests: 3, failures: 0, bytes: 10 });
    assert.match(await read('/integrations'), /Used <time /);
    assert.doesNotMatch(await read(`/integrations/${PROVIDER}`), /Last 7 days/);
  });
});
