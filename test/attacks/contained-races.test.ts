// Attack: what is made while a containment begins isn't seen by it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openContainmentStage } from '../harness/containment-stage.ts';
import { OPERATOR } from '../harness/customers.ts';
import { holdTransaction, isOneWaiting } from '../harness/hold-database.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

describe('a containment that begins (postgresql)', () => {
  const stage = useStage(() => openContainmentStage('postgresql'));

  test('stops a token that was just being made with a stolen one', async () => {
    const { team, headers } = await stage.connected();
    const made = (await stage.ask('POST', '/api/tokens', headers, { name: 'stolen' })).json<{ token: string }>();
    const stolen = { authorization: `Bearer ${made.token}` };
    assert.equal((await stage.ask('GET', '/api/team', stolen)).statusCode, 200);
    const held = holdTransaction(stage.app.database);
    const making = stage.ask('POST', '/api/tokens', stolen, { name: 'another' });
    await held.worked;
    const other = await stage.openOther();
    // A second later, so that nobody can say that it was made after the start.
    stage.clock.advance(1_000);
    const asked = { reason: 'stolen', team: team.id };
    const containing = other.ask('POST', '/api/operator/containments', OPERATOR, asked);
    await waitUntil('the containment waits', () => isOneWaiting(stage.app.database));
    held.release();
    const [{ status, body }, answer] = [await containing, await making];
    assert.equal(status, 201, body);
    stage.clock.advance(10_000);
    await stage.doDue();
    assert.equal((await stage.ask('GET', '/api/team', stolen)).statusCode, 401);
    if (answer.statusCode !== 201) return;
    const thiefs = { authorization: `Bearer ${answer.json<{ token: string }>().token}` };
    assert.equal((await stage.ask('GET', '/api/team', thiefs)).statusCode, 401, 'It was made before, and works.');
  });
});
