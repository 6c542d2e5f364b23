// Attack: a refresh that was under way brings tokens for a grant that the ledger calls gone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ContainmentStage, openContainmentStage, PROVIDER } from '../harness/containment-stage.ts';
import { onEachEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const LEASE_MS = 46_000;

/** Contains a connection whose refresh is under way. Returns what it brings, and how to let it arrive. */
const containWhileRefreshing = async (stage: ContainmentStage) => {
  const { team, at, admin } = await stage.newTeam();
  const { headers } = admin;
  const account = stage.newAccount();
  await at.connect(PROVIDER, account);
  stage.oauth.rules.endsWholeGrant = false;
  const due = 'update connections set expires_at = $2, refresh_due_at = $2 where team_id = $1';
  await stage.app.database.run(due, [team.id, stage.clock.now()]);
  const held = stage.oauth.hold('refresh', 'after');
  const asking = stage.ask('POST', `/api/integrations/${PROVIDER}/token`, headers).then((answer) => answer);
  await held.arrived;
  const id = await stage.contain(headers, { provider: PROVIDER, revoke: true });
  const late = stage.oauth.issued.at(-1)?.refreshToken ?? '';
  stage.clock.advance(LEASE_MS);
  return {
    ...{ team, at, account },
    async arrive(): Promise<void> {
      held.release();
      await asking;
      await stage.doDue();
    },
    /** Whether the late token lives, although the ledger calls its grant gone. */
    async isLie(): Promise<boolean> {
      const { connections } = await stage.get(headers, id);
      const lives = await stage.oauth.isActive(late);
      stage.oauth.rules.endsWholeGrant = true;
      return lives && connections[0]?.state === 'revoked';
    },
  };
};

onEachEngine('late tokens', (engine) => {
  const stage = useStage(() => openContainmentStage(engine));

  test('are not called gone because another team has got a grant of the same account since', async () => {
    const { account, arrive, isLie } = await containWhileRefreshing(stage);
    await stage.doDue();
    await (await stage.newTeam()).at.connect(PROVIDER, account);
    await arrive();
    assert.equal(await isLie(), false);
  });
});

onEachEngine('late tokens, each of which ends on its own,', (engine) => {
  const stage = useStage(() => openContainmentStage(engine, {}, { kills: 'token' }));

  test('are not called gone because somebody has connected the same account again', async () => {
    const { team, at, account, arrive, isLie } = await containWhileRefreshing(stage);
    await at.connect(PROVIDER, account);
    stage.app.jobs.start();
    const pending = () => stage.app.database.all('select id from revocations where team_id = $1', [team.id]);
    await waitUntil('the old token is revoked', async () => (await pending()).length === 0);
    await arrive();
    assert.equal(await isLie(), false);
  });
});
