// Attack: a connection is refreshed while the clock is a month ahead. Once the clock is right, its token would count as fresh for a month.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const DAY_MS = 24 * 3_600_000;

onOneEngine('a connection that was refreshed while the clock was ahead', (engine) => {
  const stage = useStage(() => openProxyStage(engine));

  const connectAhead = async () => {
    const team = await stage.connected();
    stage.clock.advance(30 * DAY_MS);
    await stage.app.integrations.refreshDue();
    stage.clock.advance(-30 * DAY_MS);
    return { ...team, row: () => stage.row(team.team.id, 'acme-full') };
  };

  test('is refreshed again once the clock is right, and then has the right times', async () => {
    const { row } = await connectAhead();
    const ahead = await row();
    assert.ok((ahead.refreshedAt ?? 0) > stage.clock.now());
    await stage.app.integrations.refreshDue();
    const { generation, refreshedAt, refreshDueAt, expiresAt } = await row();
    assert.equal(generation, ahead.generation + 1);
    for (const time of [refreshedAt, refreshDueAt, expiresAt])
      assert.ok(time !== null && time < stage.clock.now() + DAY_MS);
    await stage.app.integrations.refreshDue();
    assert.equal((await row()).generation, generation);
  });

  test('is refreshed again when the provider refuses its token, even before that', async () => {
    const { row, headers } = await connectAhead();
    const ahead = await row();
    stage.api.answer((incoming, response) => void incoming.resume().on('end', () => response.writeHead(401).end()));
    await stage.call(stage.proxied('me'), { headers });
    assert.equal((await row()).generation, ahead.generation + 1);
  });
});
