// Attack: an import replaces a connection whose grant a containment has revoked, and the ledger keeps calling it gone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATOR } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { openNangoStage } from '../harness/nango-stage.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('an import over what was contained', (engine) => {
  const stage = useStage(() => openNangoStage(engine));

  test('leaves no grant behind that the ledger calls gone', async () => {
    const { app, clock, oauth, nango } = stage;
    const runJobs = async (): Promise<void> => {
      clock.advance(9_000);
      for (let round = 0; round < 3; round++) {
        await app.integrations.containments.doDue();
        await app.integrations.containments.revokeDue();
      }
    };
    const [customer, account] = [stage.newCustomer(), stage.newAccount()];
    await stage.addGrant(customer, {}, account);
    await stage.run(true, { source: { by: 'owner' } });
    const url = '/api/operator/containments';
    const payload = { reason: 'leaked', provider: 'acme-full', revoke: true };
    const begun = await stage.server.inject({ method: 'POST', url, headers: OPERATOR, payload });
    await runJobs();
    nango.reset();
    const { access_token: accessToken } = await stage.addGrant(customer, {}, account);
    const ran = await stage.run(true, { source: { by: 'owner' } });
    await runJobs();
    const shown = await stage.server.inject({ url: `${url}/${begun.json().id}`, headers: OPERATOR });
    const { connections } = shown.json<{ connections: { state: string }[] }>();
    const rows = await app.database.all(
      "select c.id, c.reason from connections c join teams t on t.id = c.team_id where t.key = $1 and coalesce(c.reason, '') <> 'contained'",
      [customer],
    );
    const lives = await oauth.isActive(accessToken);
    assert.deepEqual(
      [connections.map(({ state }) => state), lives && rows.length > 0],
      [['revoked'], false],
      JSON.stringify(ran),
    );
  });
});
