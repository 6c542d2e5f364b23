import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openIntegrationsStage } from '../harness/integrations-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

onOneEngine("a grant that was connected before the entry's token URL moved to another host", (engine) => {
  const stage = useStage(() => openIntegrationsStage(engine));
  before(() => stage.app.jobs.start());

  /** Two teams with the same account, as an earlier version stored them. */
  const connectBefore = async () => {
    const account = stage.newAccount();
    const [team, other] = [await stage.newTeam(), await stage.newTeam()];
    for (const { at } of [team, other]) await at.connect('acme', account);
    await stage.app.database.run("update connections set authority = 'login.acme.example'", []);
    return { account, team, token: await other.at.token('acme') };
  };

  test('goes on if another account takes the place of a connection that shares it', async () => {
    const { account, team, token } = await connectBefore();
    await team.at.connect('acme', stage.newAccount());
    const listLeft = () => stage.app.database.all('select id from revocations where team_id = $1', [team.team.id]);
    await waitUntil('nothing is left to revoke', async () => (await listLeft()).length === 0);
    assert.equal(await stage.oauth.whoIs(token), account);
  });

  test('goes on if a connection that shares it is connected again, and then disconnected', async () => {
    const { account, team, token } = await connectBefore();
    await team.at.connect('acme', account);
    assert.equal(await team.at.disconnect('acme'), 'shared');
    assert.equal(await stage.oauth.whoIs(token), account);
  });
});
