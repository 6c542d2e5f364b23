import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATOR } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { openNangoStage } from '../harness/nango-stage.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('an import after a containment', (engine) => {
  const stage = useStage(() => openNangoStage(engine));

  test('brings what is older under it: stopped, in the ledger, and revoked', async () => {
    const { app, clock, oauth } = stage;
    const runJobs = async (): Promise<void> => {
      const { doDue, revokeDue } = app.integrations.containments;
      for (let round = 0; round < 3; round++) {
        await doDue();
        await revokeDue();
      }
    };
    const customer = stage.newCustomer();
    const { access_token: accessToken } = await stage.addGrant(customer);
    const url = '/api/operator/containments';
    const payload = { reason: 'leaked', provider: 'acme-full', revoke: true };
    const begun = await stage.server.inject({ method: 'POST', url, headers: OPERATOR, payload });
    assert.equal(begun.statusCode, 201, begun.body);
    clock.advance(9_000);
    await runJobs();
    await stage.run(true, { source: { by: 'owner' } });
    const at = stage.at(customer);
    assert.equal((await at.refusedToken('acme-full', 409)).code, 'integrations.contained');
    await runJobs();
    const shown = await stage.server.inject({ url: `${url}/${begun.json().id}`, headers: OPERATOR });
    const { connections } = shown.json<{ connections: { team: { key: string }; state: string }[] }>();
    assert.deepEqual(
      connections.map(({ team, state }) => [team.key, state]),
      [[customer, 'revoked']],
    );
    assert.equal(await oauth.isActive(accessToken), false);
  });
});
