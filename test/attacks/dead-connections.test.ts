import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openIntegrationsStage } from '../harness/integrations-stage.ts';
import { OPERATOR } from '../harness/oauth-server.ts';
import { createTestErasure } from '../harness/team-erasure.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const HOUR_MS = 3_600_000;

onOneEngine('a dead connection to the same account', (engine) => {
  const stage = useStage(() => openIntegrationsStage(engine));
  const erasure = createTestErasure(stage);

  type Team = Awaited<ReturnType<typeof stage.newTeam>>;

  const tryToken = ({ at }: Team) => stage.ask('POST', '/api/integrations/acme/token', at.headers);

  /** The person removes our access on the provider's own page, and a refresh finds out. */
  const endAtProvider = async (team: Team): Promise<void> => {
    await fetch(`${stage.oauth.issuer}/token/revocation`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${OPERATOR.id}:${OPERATOR.secret}`)}` },
      body: new URLSearchParams({ token: await team.at.token('acme') }),
    });
    stage.clock.advance(2 * HOUR_MS);
    await tryToken(team);
    const { status, refreshDueAt } = await stage.row(team.team.id, 'acme');
    assert.deepEqual([status, refreshDueAt], ['needs_reconnect', null]);
  };

  /** As if the provider had given no refresh token. */
  const letExpire = async ({ team }: Team): Promise<void> => {
    await stage.app.database.run('update connections set refresh_due_at = null where team_id = $1', [team.id]);
    stage.clock.advance(2 * HOUR_MS);
    const { status } = await stage.row(team.id, 'acme');
    assert.equal(status, 'connected');
  };

  const ENDS = { revoked: endAtProvider, expired: letExpire };

  const openDead = async (account: string, end = endAtProvider): Promise<Team> => {
    const team = await stage.newTeam();
    await team.at.connect('acme', account);
    await end(team);
    return team;
  };

  for (const [how, end] of Object.entries(ENDS))
    for (const where of ['under another name', 'in another team'])
      test(`${how}, ${where}, doesn't keep a live grant from being revoked`, async () => {
        const account = stage.newAccount();
        const dead = await openDead(account, end);
        const { at } = where === 'in another team' ? await stage.newTeam() : dead;
        await at.connect('acme', account, { connection: 'work' });
        const token = await at.token('acme', 'work');
        assert.equal(await stage.oauth.whoIs(token), account);
        assert.equal(await at.disconnect('acme', 'work'), 'revoked');
        assert.equal(await stage.oauth.whoIs(token), null, 'The token still works.');
        assert.notEqual(await dead.at.disconnect('acme'), 'shared');
      });

  test("in another team doesn't keep a deleted team's grant alive", async () => {
    await stage.app.jobs.start();
    const account = stage.newAccount();
    await openDead(account);
    const { team, at } = await stage.newTeam();
    await at.connect('acme', account);
    const token = await at.token('acme');
    await erasure.begin(team.id);
    await erasure.run();
    const listLeft = () => stage.app.database.all('select id from revocations where team_id = $1', [team.id]);
    await waitUntil('nothing is left to revoke', async () => (await listLeft()).length === 0);
    await erasure.expectGone(team.id);
    assert.equal(await stage.oauth.whoIs(token), null, 'The token still works.');
  });

  test('can be disconnected without ending the live one', async () => {
    const account = stage.newAccount();
    const dead = await openDead(account);
    await dead.at.connect('acme', account, { connection: 'work' });
    assert.equal(await dead.at.disconnect('acme', 'default'), 'shared');
    assert.equal(await stage.oauth.whoIs(await dead.at.token('acme', 'work')), account);
  });

  test('is not dead while it is tried again, because it may come back', async () => {
    const account = stage.newAccount();
    const [givenUp, other] = [await stage.newTeam(), await stage.newTeam()];
    for (const { at } of [givenUp, other]) await at.connect('acme', account);
    const { team } = givenUp;
    await stage.app.database.run("update connections set status = 'needs_reconnect' where team_id = $1", [team.id]);
    assert.equal(await other.at.disconnect('acme'), 'shared');
    stage.clock.advance(HOUR_MS);
    assert.equal(await stage.oauth.whoIs(await givenUp.at.token('acme')), account);
  });
});
