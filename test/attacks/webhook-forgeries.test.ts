import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { onEachEngine } from '../harness/databases.ts';
import { expectProblem } from '../harness/problem.ts';
import { useStage } from '../harness/use-stage.ts';
import {
  type SignedMessage,
  signAsDocusign,
  signAsGitHub,
  signAsShopify,
  signAsSlack,
} from '../harness/webhook-senders.ts';
import { startWebhookStage, WEBHOOK_SECRET } from '../harness/webhook-stage.ts';

onEachEngine('somebody who makes a provider say too much', (engine) => {
  const stage = useStage(() => startWebhookStage(engine, { providers: ['github', 'slack', 'shopify'] }));
  let made = 0;
  const now = () => stage.clock.now();

  test("can't pass off as a message what the provider has signed elsewhere", async () => {
    const secret = stage.settings['OAUTH_SHOPIFY_CLIENT_SECRET'] ?? assert.fail();
    const query = 'code=c&host=h&shop=attacker.myshopify.com&state=s&timestamp=1';
    const hmac = createHmac('sha256', secret).update(query).digest('base64');
    const { headers } = await signAsShopify('{}', { secret, now: now(), account: 'victim.myshopify.com' });
    const type = 'application/x-www-form-urlencoded';
    for (const contentType of [type, `${type}; charset=utf-8`, 'application/json']) {
      const forged = {
        headers: { ...headers, 'content-type': contentType, 'x-shopify-hmac-sha256': hmac },
        body: query,
      };
      const answer = await stage.send(stage.operatorPath('shopify'), forged);
      assert.equal(expectProblem(answer, 400, contentType).code, 'integrations.message_malformed');
    }
  });

  test('gets nothing of an account whose access has ended, however it ended', async () => {
    const { member, team } = await stage.stage.createTeam(`ended-${++made}`);
    await stage.connect(member, 'github', 'ended');
    const send = async (id: string) => {
      const body = '{"sender":{"id":"ended"}}';
      const signed = await signAsGitHub(body, { secret: WEBHOOK_SECRET, type: 'push', id, now: now() });
      assert.equal((await stage.send(stage.operatorPath('github'), signed)).status, 200);
      return (await stage.listEvents(member)).length;
    };
    const change = (status: string, reason: string | null, due: number | null) =>
      stage.app.database.run(
        'update connections set status = $2, reason = $3, refresh_due_at = $4 where team_id = $1',
        [team.id, status, reason, due],
      );
    assert.equal(await send('before'), 1);
    await change('needs_reconnect', 'revoked_or_expired', null);
    assert.equal(await send('ended'), 1);
    await change('degraded', 'provider_unavailable', now());
    assert.equal(await send('trouble'), 2, 'Trouble that may pass ends nothing.');
  });

  test('gets nothing that Slack sends for one person', async () => {
    const { member } = await stage.stage.createTeam(`slack-${++made}`);
    await stage.connect(member, 'slack', 'T1');
    const send = async (is_bot: boolean) => {
      const body = JSON.stringify({
        ...{ type: 'event_callback', team_id: 'T1', event_id: `Ev${++made}`, event: { type: 'message' } },
        authorizations: [{ team_id: 'T1', user_id: 'U1', is_bot }],
      });
      const signed = await signAsSlack(body, { secret: WEBHOOK_SECRET, now: now() });
      assert.equal((await stage.send(stage.operatorPath('slack'), signed)).status, 200);
      return (await stage.listEvents(member)).length;
    };
    assert.deepEqual([await send(false), await send(true)], [0, 1]);
  });

  test('fills no disk with what the database refuses, and names no crowd', async () => {
    const { admin, member } = await stage.stage.createTeam(`odd-${++made}`);
    const { path } = await stage.openAddress(admin, 'docusign', WEBHOOK_SECRET);
    for (const userId of ['a\u0000b', '\u0000', '\ud800', Array.from({ length: 20_000 }, (_, index) => `u${index}`)]) {
      const body = JSON.stringify({ event: 'envelope-sent', data: { userId, envelopeId: String(++made) } });
      const signed = await signAsDocusign(body, { secret: WEBHOOK_SECRET, now: now() });
      assert.equal((await stage.send(path, signed)).status, 200, body.slice(0, 60));
    }
    assert.equal((await stage.listEvents(member)).length, 4);
  });

  test("can't add a secret to an address that an admin hasn't opened lately", async () => {
    const { admin } = await stage.stage.createTeam(`asana-${++made}`);
    const { path } = await stage.openAddress(admin, 'asana');
    const handshake = (secret: string): SignedMessage => ({ headers: { 'x-hook-secret': secret }, body: '' });
    const accepted = await stage.send(path, handshake('of-asana'));
    assert.deepEqual([accepted.status, accepted.headers['x-hook-secret']], [200, 'of-asana']);
    stage.clock.advance(3_600_001);
    assert.equal((await stage.send(path, handshake('of-a-stranger'))).status, 403);
    const shown = await stage.ask(admin, 'GET', 'asana/webhook');
    assert.equal(JSON.parse(shown.body).secrets.length, 1);
    await stage.openAddress(admin, 'asana');
    assert.equal((await stage.send(path, handshake('of-asana-again'))).status, 200, 'An admin has opened it again.');
    stage.clock.advance(3_600_001);
    const { url } = JSON.parse((await stage.ask(admin, 'POST', 'asana/webhook/rotate')).body);
    const elsewhere = await stage.send(new URL(url).pathname, handshake('at-the-new-address'));
    assert.equal(elsewhere.status, 200, 'A new address is open, too.');
  });
});
