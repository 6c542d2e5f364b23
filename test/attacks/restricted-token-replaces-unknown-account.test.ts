import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openIntegrationsStage } from '../harness/integrations-stage.ts';
import { allRecords } from '../harness/provider-file.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { bindingOf, pathOf } from '../harness/team-member.ts';
import { useStage } from '../harness/use-stage.ts';

const PROVIDER = 'acme-full';

onOneEngine('a connect that a restricted token begins at a provider that names no account', (engine) => {
  const stage = useStage(() =>
    openIntegrationsStage(engine, {
      records: (issuer) =>
        allRecords(issuer).map(({ ...record }) => {
          if (record.id !== PROVIDER) return record;
          delete (record as { identity?: unknown }).identity;
          return { ...record, requiredScopes: ['offline_access'] };
        }),
    }),
  );

  test('replaces nothing that was connected after it began', async () => {
    const { at, admin, team } = await stage.newTeam();
    const token = await makeToken(stage.server, admin.headers, { can: ['connect'] });
    const begun = await stage.ask('POST', `/api/integrations/${PROVIDER}/connect`, token);
    assert.equal(begun.status, 200, begun.body);
    assert.equal((await at.tryConnect(PROVIDER, stage.newAccount())).status, 200);
    const before = await stage.row(team.id, PROVIDER);
    const { pathname, search } = new URL(JSON.parse(begun.body).connectUrl);
    const led = await stage.ask('GET', `${pathname}${search}`, admin.headers);
    assert.equal(led.status, 302, led.body);
    const back = pathOf(await stage.oauth.consent(led.headers['location'] ?? '', { account: stage.newAccount() }));
    const arrived = await stage.ask('GET', back, { accept: 'application/json', cookie: bindingOf(led) });
    const after = await stage.row(team.id, PROVIDER);
    assert.equal(after.generation, before.generation, `Replaced: ${arrived.status} ${arrived.body}`);
  });
});
