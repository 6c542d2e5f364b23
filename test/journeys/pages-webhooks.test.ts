import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { addUser } from '../../src/teams/records/add-user.ts';
import type { Person } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession, type Session } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';
import { signAsGitHub } from '../harness/webhook-senders.ts';
import { startWebhookStage, WEBHOOK_SECRET } from '../harness/webhook-stage.ts';

const GITHUB_ADVICE = /A plain OAuth app has no webhook\./;
const ABOUT_REMOVAL = /when someone removes the app/;

onOneEngine("the pages about providers' webhooks", (engine) => {
  const stage = useStage(() => startWebhookStage(engine, { providers: ['github', 'slack'] }));
  const people: Record<string, Session> = {};
  let stranger: Person;

  before(async () => {
    const { app } = stage.stage;
    const firstTeamId = await app.events.getFirstTeamId();
    const join = (email: string, role: 'admin' | 'member') =>
      app.database.transaction((tx) => addUser(app, tx, firstTeamId, { email, name: null, role }));
    people['operator'] = await openSession(stage.stage, await join('operator@first.example', 'admin'));
    people['member'] = await openSession(stage.stage, await join('member@first.example', 'member'));
    const { admin } = await stage.stage.createTeam('others');
    people['stranger'] = await openSession(stage.stage, admin.user);
    stranger = admin;
  });

  const open = async (who: string, provider: string): Promise<string> => {
    const headers = people[who]?.headers ?? assert.fail(who);
    const { statusCode, body } = await stage.server.inject({ url: `/integrations/${provider}`, headers });
    assert.equal(statusCode, 200, body);
    return body;
  };

  const sendPing = async (secret: string) => {
    const ping = await signAsGitHub('{"zen":"Design for failure."}', { secret, type: 'ping', id: secret, now: 0 });
    return (await stage.send(stage.operatorPath('github'), ping)).status;
  };

  const logged = () =>
    stage.stage.lines.filter(({ message }) => message.startsWith("a webhook at the operator's address was refused"));

  test('tell the operator whether the secret is set, and what was last received and refused', async () => {
    const before = await open('operator', 'github');
    assert.match(before, GITHUB_ADVICE);
    assert.match(before, /OAUTH_GITHUB_WEBHOOK_SECRET<.* is set\./);
    assert.doesNotMatch(before, /to the secret, and restart Patchbay/);
    assert.match(before, /<dt>Last received<\/dt><dd>Nothing yet<\/dd>/);
    assert.equal(await sendPing('another-secret'), 403);
    assert.equal(await sendPing(WEBHOOK_SECRET), 200);
    const after = await open('operator', 'github');
    assert.match(after, /<dt>Last received<\/dt><dd><time.*<code>ping<\/code>/);
    assert.match(after, /<dt>Last refused<\/dt><dd><time.*It was signed with another secret/);
    assert.doesNotMatch(after, new RegExp(WEBHOOK_SECRET));
  });

  test('tell nobody else', async () => {
    for (const who of ['member', 'stranger']) {
      const page = await open(who, 'github');
      assert.doesNotMatch(page, /OAUTH_GITHUB_WEBHOOK_SECRET|Last refused|another secret/, who);
    }
  });

  test('are not the only place: a refusal is logged, at most once a minute for each reason', async () => {
    stage.clock.advance(60_000);
    const count = logged().length;
    for (let sent = 0; sent < 3; sent++) assert.equal(await sendPing('another-secret'), 403);
    assert.equal(logged().length, count + 1);
    const unsigned = { headers: { 'content-type': 'application/json' }, body: '{"private":"content"}' };
    assert.equal((await stage.send(stage.operatorPath('github'), unsigned)).status, 403);
    assert.deepEqual(
      logged()
        .slice(count)
        .map(({ level, fields }) => [level, fields]),
      [
        ['warn', { provider: 'github', reason: 'other_secret' }],
        ['warn', { provider: 'github', reason: 'missing' }],
      ],
    );
    stage.clock.advance(60_000);
    assert.equal(await sendPing('another-secret'), 403);
    assert.equal(logged().length, count + 3);
    assert.doesNotMatch(JSON.stringify(logged()), /private|another-secret/);
  });

  test('say that the removal of the app is reported only where it is, and what to set where nothing is', async () => {
    assert.doesNotMatch(await open('operator', 'github'), ABOUT_REMOVAL);
    assert.match(await open('operator', 'slack'), ABOUT_REMOVAL);
    const linear = await open('operator', 'linear');
    assert.doesNotMatch(linear, ABOUT_REMOVAL);
    assert.match(linear, /The secret is the signing secret shown there\. Set .*OAUTH_LINEAR_WEBHOOK_SECRET/);
    assert.match(await open('operator', 'stripe'), ABOUT_REMOVAL);
  });

  test("ask for a team's secret first if the provider checks the address with a signed message", async () => {
    const first = /Add the secret here before you enter the address there/;
    await stage.openAddress(stranger, 'github');
    assert.match(await open('stranger', 'github'), first);
    await stage.openAddress(stranger, 'github', 'chosen-by-the-team');
    assert.doesNotMatch(await open('stranger', 'github'), first);
    await stage.openAddress(stranger, 'square');
    assert.doesNotMatch(await open('stranger', 'square'), first);
  });
});
