import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { getConnection } from '../../src/integrations/connections/connection-store.ts';
import { expectConnected, expectRefused, startConnectStage, type Team } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** Each site of this provider counts its own people, and who runs one may well choose the numbers. */
const PROVIDER = 'zendesk';

onOneEngine('an account at another host that has the same ID', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { providers: { [PROVIDER]: {} } }));
  before(() => flow.stage.app.jobs.start());

  const connect = async ({ admin }: Team, subdomain: string, replace = true) => {
    const params = { subdomain };
    const begun = await flow.begin(admin, PROVIDER, { params, replace });
    const back = flow.consent(begun.authorizationUrl, { account: '1', params });
    return flow.arrive(back, { cookie: begun.cookie });
  };

  const openSite = async (team: Team): Promise<string | undefined> => {
    const key = { teamId: team.team.id, provider: PROVIDER, name: 'default' };
    return (await getConnection(flow.stage.app.database, key))?.details['subdomain'];
  };

  const listRevoked = (): string[] =>
    flow.simulator.requests.filter(({ kind }) => kind === 'revoke').map(({ address }) => new URL(address).host);

  test('does not replace the connection if another account must not', async () => {
    const team = await flow.stage.createTeam('asked');
    expectConnected(await connect(team, 'acme'), PROVIDER);
    expectRefused(await connect(team, 'evil', false), 409, 'integrations.name_taken');
    assert.equal(await openSite(team), 'acme');
    expectConnected(await connect(team, 'acme', false), PROVIDER);
  });

  test('is named as another one if it may, and the grant of the first is revoked there', async () => {
    const team = await flow.stage.createTeam('told');
    const first = (await connect(team, 'first')).json();
    const second = await connect(team, 'second');
    expectConnected(second, PROVIDER);
    assert.deepEqual([second.json().account, second.json().previousAccount], [first.account, first.account]);
    await waitUntil('the first is revoked', () => listRevoked().includes('first.zendesk.com'));
    assert.ok(!listRevoked().includes('second.zendesk.com'));
  });

  test('is the same one if only the entry has changed since', async () => {
    const team = await flow.stage.createTeam('corrected');
    expectConnected(await connect(team, 'acme'), PROVIDER);
    await flow.stage.app.database.run("update connections set authority = 'login.zendesk.com' where team_id = $1", [
      team.team.id,
    ]);
    expectConnected(await connect(team, 'acme', false), PROVIDER);
  });
});
