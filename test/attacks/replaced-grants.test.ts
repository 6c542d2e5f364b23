import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openIntegrationsStage } from '../harness/integrations-stage.ts';
import { OPERATOR, TEAM } from '../harness/oauth-server.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

onOneEngine("a grant of the operator's client, when the account is connected again with the team's own", (engine) => {
  const stage = useStage(() => openIntegrationsStage(engine));
  before(() => stage.app.jobs.start());

  type Team = Awaited<ReturnType<typeof stage.newTeam>>;

  const connectWithOwn = async (
    { team, at }: Team,
    account: string,
    client: typeof TEAM | typeof OPERATOR = TEAM,
  ): Promise<string> => {
    const own = { clientId: client.id, clientSecret: client.secret };
    const put = await stage.ask('PUT', '/api/integrations/acme/credentials', at.headers, own);
    assert.equal(put.status, 200, put.body);
    await at.connect('acme', account, { connection: 'default' });
    const listLeft = () => stage.app.database.all('select id from revocations where team_id = $1', [team.id]);
    await waitUntil('nothing is left to revoke', async () => (await listLeft()).length === 0);
    return at.token('acme', 'default');
  };

  test('is revoked, because nobody could end it later', async () => {
    const account = stage.newAccount();
    const team = await stage.newTeam();
    await team.at.connect('acme', account);
    const old = await team.at.token('acme');
    const token = await connectWithOwn(team, account);
    assert.equal(await stage.oauth.whoIs(old), null, 'The old token still works.');
    assert.equal(await stage.oauth.whoIs(token), account);
  });

  test('stays while another connection uses it', async () => {
    const account = stage.newAccount();
    const team = await stage.newTeam();
    await team.at.connect('acme', account);
    await team.at.connect('acme', account, { connection: 'work' });
    const shared = await team.at.token('acme', 'work');
    const token = await connectWithOwn(team, account);
    assert.equal(await stage.oauth.whoIs(shared), account);
    assert.equal(await stage.oauth.whoIs(token), account);
    assert.equal(await team.at.disconnect('acme', 'work'), 'revoked');
    assert.equal(await stage.oauth.whoIs(shared), null);
    assert.equal(await stage.oauth.whoIs(token), account, 'The one of the other client goes on.');
  });

  test('is revoked at a disconnect, even if another team has given its own client the same ID', async () => {
    const account = stage.newAccount();
    const [team, other] = [await stage.newTeam(), await stage.newTeam()];
    await team.at.connect('acme', account);
    const token = await team.at.token('acme');
    await connectWithOwn(other, account, OPERATOR);
    assert.equal(await team.at.disconnect('acme'), 'revoked');
    assert.equal(await stage.oauth.whoIs(token), null, 'The token still works.');
  });
});
