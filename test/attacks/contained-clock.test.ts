// Attack: the clock was ahead; a token was revoked first; a contained token's request waits for the containment.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openContainmentStage, PROVIDER } from '../harness/containment-stage.ts';
import { OPERATOR } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { holdTransaction, isOneWaiting } from '../harness/hold-database.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const HOUR_MS = 3_600_000;

onEachEngine('a containment after the clock was set back', (engine) => {
  const stage = useStage(() => openContainmentStage(engine));

  test('stops what was connected while it was ahead', async () => {
    stage.clock.advance(HOUR_MS);
    const { headers } = await stage.connected();
    stage.clock.advance(-HOUR_MS);
    assert.equal(await stage.proxyProblem(headers), null);
    await stage.contain(headers, { provider: PROVIDER });
    stage.clock.advance(10_000);
    await stage.doDue();
    const problem = await stage.proxyProblem(headers);
    stage.clock.advance(2 * HOUR_MS);
    assert.equal(problem, 'integrations.contained');
  });

  test('finds what a token was used with that somebody has revoked already', async () => {
    const { headers } = await stage.connected();
    const made = (await stage.ask('POST', '/api/tokens', headers, { name: 'leaked' })).json<{
      id: string;
      token: string;
    }>();
    assert.equal(await stage.proxyProblem({ authorization: `Bearer ${made.token}` }), null);
    await stage.ask('DELETE', `/api/tokens/${made.id}`, headers);
    const answer = await stage.tryToContain(headers, { token: made.id, revoke: true });
    assert.equal(answer.statusCode, 201, answer.body);
  });
});

describe('a request with a token that is just being contained (postgresql)', () => {
  const stage = useStage(() => openContainmentStage('postgresql'));

  for (const [what, method, url, body] of [
    ['invite', 'POST', '/api/members', { email: 'thief@example.com', role: 'admin' }],
    ['contain', 'POST', '/api/containments', { reason: 'by the thief', provider: PROVIDER }],
    ['make a token', 'POST', '/api/tokens', { name: 'for later' }],
  ] as const)
    test(`does not ${what} after the containment’s commit`, async () => {
      const { team, headers } = await stage.connected();
      const made = (await stage.ask('POST', '/api/tokens', headers, { name: 'stolen' })).json<{ token: string }>();
      const stolen = { authorization: `Bearer ${made.token}` };
      const other = await stage.openOther();
      const held = holdTransaction(other.app.database);
      const containing = other.ask('POST', '/api/operator/containments', OPERATOR, { reason: 'x', team: team.id });
      await held.worked;
      const asking = stage.ask(method, url, stolen, body).then((answer) => answer);
      await waitUntil('it waits', () => isOneWaiting(stage.app.database));
      held.release();
      assert.equal((await containing).status, 201);
      const answer = await asking;
      assert.equal(answer.statusCode, 401, answer.body);
    });
});
