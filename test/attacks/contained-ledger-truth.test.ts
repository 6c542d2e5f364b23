// Attack: the ledger tells less, or something else, than what became of a grant.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { openTokens } from '../../src/integrations/connections/connection-tokens.ts';
import { giveUpExpired } from '../../src/integrations/connections/give-up-revocation.ts';
import { openContainmentStage, PROVIDER, type Shown } from '../harness/containment-stage.ts';
import { OPERATOR } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { serverError } from '../harness/oauth-server/faults.ts';
import { sendAnswer } from '../harness/oauth-server/gate.ts';
import { useStage } from '../harness/use-stage.ts';

const LEASE_MS = 46_000;
const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS + 1;

onEachEngine('what the ledger of a containment says', (engine) => {
  const stage = useStage(() => openContainmentStage(engine));

  const tokensOf = async (teamId: string, provider = PROVIDER): Promise<string[]> => {
    const tokens = await openTokens(stage.app.vault, await stage.row(teamId, provider));
    assert.ok(tokens?.refreshToken);
    return [tokens.accessToken.reveal(), tokens.refreshToken.reveal()];
  };
  const listed = async (headers: Record<string, string>, id: string) =>
    (await stage.get(headers, id)).connections as (Shown & { at: string })[];

  test('is not that a grant has ended whose refresh token lives, because a refresh under way brought no new one', async () => {
    const { team, at, admin } = await stage.newTeam();
    await at.connect('acme-never', stage.newAccount());
    const [, refreshToken = ''] = await tokensOf(team.id, 'acme-never');
    const { rules } = stage.oauth;
    Object.assign(rules, { rotates: false, endsWholeGrant: false });
    const due = 'update connections set expires_at = $2, refresh_due_at = $2 where team_id = $1';
    await stage.app.database.run(due, [team.id, stage.clock.now()]);
    const held = stage.oauth.hold('refresh', 'before', async ({ forward, response }) => {
      const { status, headers, body } = await forward();
      const { refresh_token: _, ...rest } = JSON.parse(body.toString());
      const { 'content-length': __, ...others } = headers;
      sendAnswer(response, { status, headers: others, body: Buffer.from(JSON.stringify(rest)) });
    });
    const asking = at.refusedToken('acme-never', 409);
    await held.arrived;
    const id = await stage.contain(admin.headers, { provider: 'acme-never', revoke: true });
    stage.clock.advance(LEASE_MS);
    stage.oauth.fail('revoke', serverError, 1);
    await stage.doDue();
    const [before] = await listed(admin.headers, id);
    held.release();
    await asking;
    await stage.doDue();
    Object.assign(rules, { rotates: true, endsWholeGrant: true });
    stage.oauth.mend();
    assert.equal(before?.state, 'pending');
    const [after] = await listed(admin.headers, id);
    const lives = await stage.oauth.isActive(refreshToken);
    assert.ok(!(lives && after?.state === 'revoked'), `The ledger says ${after?.state}.`);
  });

  test('is when a grant ended, also in the ledger of a later containment', async () => {
    const { headers } = await stage.connected();
    const first = await stage.contain(headers, { provider: PROVIDER, revoke: true });
    await stage.doDue();
    const [ended] = await listed(headers, first);
    assert.equal(ended?.state, 'revoked');
    stage.clock.advance(HOUR_MS);
    const second = await stage.contain(headers, { provider: PROVIDER, revoke: true });
    await stage.doDue();
    const [again] = await listed(headers, second);
    assert.deepEqual([again?.state, again?.at], ['revoked', ended.at]);
  });

  test('stays that the provider did not confirm it, when somebody disconnects', async () => {
    const { at, headers } = await stage.connected();
    stage.oauth.fail('revoke', serverError, 1_000);
    const id = await stage.contain(headers, { provider: PROVIDER, revoke: true });
    await stage.doDue();
    stage.clock.advance(WEEK_MS);
    await giveUpExpired({ database: stage.app.database, clock: stage.clock, newId: randomUUID });
    stage.oauth.mend();
    const [given] = await listed(headers, id);
    await at.disconnect(PROVIDER);
    const [after] = await listed(headers, id);
    assert.deepEqual([given?.state, after?.state], ['failed', 'failed']);
  });

  test('does not end with a grant that others share, of which each token lives until it is revoked itself', async () => {
    const first = await stage.connected();
    const second = await stage.newTeam();
    const shared = stage.newAccount();
    await first.at.connect(PROVIDER, shared);
    await second.at.connect(PROVIDER, shared);
    const [, refreshToken = ''] = await tokensOf(first.team.id);
    stage.oauth.rules.endsWholeGrant = false;
    const one = await stage.contain(first.headers, { provider: PROVIDER, revoke: true });
    await stage.doDue();
    assert.deepEqual(
      (await listed(first.headers, one)).map(({ state }) => state),
      ['shared'],
    );
    const all = await stage.contain(OPERATOR, { provider: PROVIDER, revoke: true });
    await stage.doDue();
    stage.oauth.rules.endsWholeGrant = true;
    const states = (await listed(OPERATOR, all)).filter(({ account }) => account.id === shared).map((x) => x.state);
    const lives = await stage.oauth.isActive(refreshToken);
    await stage.lift(OPERATOR, all);
    assert.deepEqual([states, lives], [['revoked', 'revoked'], false], 'All of its connections are contained.');
  });

  for (const how of ['contains it, too', 'disconnects'] as const)
    test(`does not stay that a grant is shared once the only other team ${how}`, async () => {
      const first = await stage.connected();
      const second = await stage.newTeam();
      const shared = stage.newAccount();
      await first.at.connect(PROVIDER, shared);
      await second.at.connect(PROVIDER, shared);
      const [, refreshToken = ''] = await tokensOf(first.team.id);
      stage.oauth.rules.endsWholeGrant = false;
      const id = await stage.contain(first.headers, { provider: PROVIDER, revoke: true });
      await stage.doDue();
      assert.deepEqual((await stage.get(first.headers, id)).state, 'finished');
      if (how === 'disconnects') await second.at.disconnect(PROVIDER);
      else await stage.contain(second.admin.headers, { provider: PROVIDER, revoke: true });
      await stage.doDue();
      await stage.doDue();
      stage.oauth.rules.endsWholeGrant = true;
      const { state, connections } = await stage.get(first.headers, id);
      const lives = await stage.oauth.isActive(refreshToken);
      assert.deepEqual([state, connections.map((one) => one.state), lives], ['finished', ['revoked'], false]);
    });

  test('is found out anew once the keys that were missing are back', async () => {
    const { team, headers } = await stage.connected();
    const { access_token: accessToken, refresh_token: refreshToken } = (await stage.app.database.get(
      'select access_token, refresh_token from connections where team_id = $1',
      [team.id],
    )) as Record<string, string>;
    const put = (one: string, two: string) =>
      stage.app.database.run('update connections set access_token = $2, refresh_token = $3 where team_id = $1', [
        ...[team.id, one, two],
      ]);
    await put('broken', 'broken');
    const first = await stage.contain(headers, { provider: PROVIDER, revoke: true });
    await stage.doDue();
    assert.equal((await listed(headers, first))[0]?.state, 'unknown');
    await put(String(accessToken), String(refreshToken));
    const second = await stage.contain(headers, { provider: PROVIDER, revoke: true });
    await stage.doDue();
    assert.equal((await listed(headers, second))[0]?.state, 'revoked');
  });
});
