// Attack: an approved request waits for the connection's row while the account is contained.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openContainmentStage, PROVIDER } from '../harness/containment-stage.ts';
import { holdLock, isOneWaiting } from '../harness/hold-database.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

describe('an approved request that waits for a lock (postgresql)', () => {
  const stage = useStage(() => openContainmentStage('postgresql'));
  const asking = { allow: [{ provider: PROVIDER, connection: 'default' }], writes: 'ask' };

  for (const what of ['connection', 'token'] as const)
    test(`is not sent if the ${what} was contained meanwhile`, async () => {
      const { team, headers } = await stage.connected();
      const token = await makeToken(stage.server, headers, asking);
      const sent = await stage.call(stage.proxied('contacts'), { method: 'POST', headers: token, body: '{}' });
      const { id } = JSON.parse(sent.body).approval;
      const { tokens } = (await stage.ask('GET', '/api/tokens', headers)).json();
      const tokenId = tokens.find((one: { name: string }) => one.name === 'agent').id;
      const received = stage.api.received.length;
      const held = await holdLock(stage.app.database, 'select id from connections where team_id = $1 for update', [
        team.id,
      ]);
      const approving = stage.ask('POST', `/api/approvals/${id}/approve`, headers).then((answer) => answer);
      await waitUntil('it waits', () => isOneWaiting(stage.app.database), 5_000);
      const other = await stage.openOther();
      const asked = { reason: 'leaked', ...(what === 'token' ? { token: tokenId } : { provider: PROVIDER }) };
      const begun = await other.ask('POST', '/api/containments', headers, asked);
      assert.equal(begun.status, 201, begun.body);
      await held.release();
      await approving;
      assert.equal(stage.api.received.length - received, 0, 'It was sent after the containment.');
    });
});
