import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { REVOCATION_KEPT_MS } from '../../src/integrations/connections/prepare-revocation.ts';
import { onEachEngine } from '../harness/databases.ts';
import { openIntegrationsStage } from '../harness/integrations-stage.ts';
import { TEAM } from '../harness/oauth-server.ts';
import { createTestErasure } from '../harness/team-erasure.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const PROVIDER = 'acme-full';
const HOUR_MS = 3_600_000;
const JSON_ONLY = { accept: 'application/json' };

onEachEngine('a team deleted while its integrations are in use', (engine) => {
  const stage = useStage(() => openIntegrationsStage(engine));
  const erasure = createTestErasure(stage);
  before(() => stage.app.jobs.start());

  const count = async (table: string, teamId: string): Promise<number> =>
    (await stage.app.database.all(`select team_id from ${table} where team_id = $1`, [teamId])).length;

  /** Lets every retry of a revocation be due now. */
  const hasten = (): Promise<number> =>
    stage.app.database.run("update jobs set run_at = 0 where name = 'revoke-grant'");

  /** Time goes on: if a run of the job has just found nothing to do, the next one comes seconds later. */
  const waitMeanwhile = (what: string, condition: () => boolean | Promise<boolean>): Promise<void> =>
    waitUntil(what, () => {
      stage.clock.advance(100);
      return condition();
    });

  const isEnded = (token: string): Promise<void> =>
    waitMeanwhile('the grant is ended', async () => (await stage.oauth.whoIs(token)) === null);

  const lastIssued = (): string => stage.oauth.issued.at(-1)?.accessToken ?? '';

  test('has its grants revoked', async () => {
    const { team, at } = await stage.newTeam();
    await at.connect(PROVIDER, stage.newAccount());
    const token = await at.token(PROVIDER);
    await erasure.begin(team.id);
    await isEnded(token);
    await waitUntil('it is known to be revoked', async () => (await count('revocations', team.id)) === 0);
    await erasure.expectGone(team.id);
  });

  for (const isBack of [true, false])
    test(`keeps its own client until the provider ${isBack ? 'is back' : 'has been away for seven days'}`, async () => {
      const { team, at, admin } = await stage.newTeam();
      const own = { clientId: TEAM.id, clientSecret: TEAM.secret };
      await stage.ask('PUT', `/api/integrations/${PROVIDER}/credentials`, admin.headers, own);
      await at.connect(PROVIDER, stage.newAccount());
      const token = await at.token(PROVIDER);
      const asked = stage.oauth.count('revoke');
      stage.oauth.fail('revoke', ({ response }) => void response.writeHead(503).end(), 1_000);
      await erasure.begin(team.id);
      await waitMeanwhile('the provider was asked', () => stage.oauth.count('revoke') > asked);
      stage.clock.advance(REVOCATION_KEPT_MS - HOUR_MS);
      await erasure.run();
      assert.deepEqual([await count('revocations', team.id), await count('provider_credentials', team.id)], [1, 1]);
      assert.deepEqual([await count('connections', team.id), await count('users', team.id)], [0, 1]);
      stage.oauth.mend();
      if (isBack) {
        await hasten();
        await isEnded(token);
        await waitUntil('it is known to be revoked', async () => (await count('revocations', team.id)) === 0);
      }
      await erasure.expectGone(team.id);
    });

  test('during a connect: nothing is stored, and the new grant is revoked', async () => {
    const { team, at } = await stage.newTeam();
    const { path, cookie } = await at.goToProvider(PROVIDER, stage.newAccount());
    const held = stage.oauth.hold('userinfo', 'after');
    const answer = stage.ask('GET', path, { ...JSON_ONLY, cookie });
    await held.arrived;
    await erasure.begin(team.id);
    await erasure.run();
    held.release();
    assert.equal((await answer).status, 400);
    assert.equal(await stage.oauth.whoIs(lastIssued()), null, 'The grant that came too late is ended.');
    await erasure.expectGone(team.id);
  });

  test('between connect and callback, or before it completes: no token request is made', async () => {
    const { team, at } = await stage.newTeam();
    const proved = await at.goToProvider(PROVIDER, stage.newAccount());
    const unproved = await at.goToProvider(PROVIDER, stage.newAccount());
    const { attempt } = JSON.parse((await stage.ask('GET', unproved.path, JSON_ONLY)).body);
    await erasure.begin(team.id);
    const exchanges = stage.oauth.count('code');
    const returning = await stage.ask('GET', proved.path, { ...JSON_ONLY, cookie: proved.cookie });
    assert.equal(returning.status, 400);
    const completing = await stage.ask('POST', `/api/integrations/${PROVIDER}/complete`, at.headers, { attempt });
    assert.equal(completing.status, 401);
    assert.equal(stage.oauth.count('code'), exchanges);
    await erasure.expectGone(team.id);
  });

  test('during a refresh: what it brings is revoked', async () => {
    const { team, at } = await stage.newTeam();
    await at.connect(PROVIDER, stage.newAccount());
    const held = stage.oauth.hold('refresh', 'after');
    stage.clock.advance(HOUR_MS);
    const refreshing = stage.app.integrations.refreshDue();
    await held.arrived;
    await erasure.begin(team.id);
    await erasure.run();
    assert.equal(await count('connections', team.id), 1, 'It waits for what is on its way.');
    held.release();
    await refreshing;
    const token = lastIssued();
    assert.ok(await stage.oauth.whoIs(token), 'The provider gave a new token.');
    stage.clock.advance(HOUR_MS);
    await erasure.run();
    await isEnded(token);
    await waitUntil('it is known to be revoked', async () => (await count('revocations', team.id)) === 0);
    await erasure.expectGone(team.id);
  });

  test('is not refreshed anymore', async () => {
    const { team, at } = await stage.newTeam();
    await at.connect(PROVIDER, stage.newAccount());
    const refreshes = stage.oauth.count('refresh');
    await erasure.begin(team.id);
    stage.clock.advance(HOUR_MS);
    await stage.app.integrations.refreshDue();
    assert.equal(stage.oauth.count('refresh'), refreshes);
  });
});
