import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../harness/databases.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { expectProblem } from '../harness/problem.ts';
import { useStage } from '../harness/use-stage.ts';
import { signAsGitHub } from '../harness/webhook-senders.ts';
import { startWebhookStage, WEBHOOK_SECRET } from '../harness/webhook-stage.ts';

const issueBy = (account: string) =>
  JSON.stringify({ action: 'opened', issue: { number: 1347 }, sender: { login: account, id: account } });

onEachEngine("a provider's webhook", (engine) => {
  const stage = useStage(() => startWebhookStage(engine));
  const receiver = useStage(startEventReceiver);
  let made = 0;

  const createTeam = async () => {
    const account = `account-${++made}`;
    const team = await stage.stage.createTeam(`webhooks-${made}`);
    await stage.connect(team.member, 'github', account);
    return { ...team, account };
  };

  test('becomes an event at the endpoint of the team that it is about, once, and can be sent again', async () => {
    const { admin, team, account } = await createTeam();
    const other = await createTeam();
    const path = `/hook/${made}`;
    const endpoint = await stage.server.inject({
      method: 'POST',
      url: '/api/events/endpoints',
      headers: admin.headers,
      payload: { url: new URL(path, receiver.url).href, types: ['provider.event:github/issues'] },
    });
    assert.equal(endpoint.statusCode, 201, endpoint.body);
    const { id, secret } = endpoint.json();
    const signed = await signAsGitHub(issueBy(account), { secret: WEBHOOK_SECRET, type: 'issues', id: 'd-1', now: 0 });
    for (const attempt of [1, 2]) {
      const { status, body } = await stage.send(stage.operatorPath('github'), signed);
      assert.deepEqual([status, body], [200, ''], `attempt ${attempt}`);
    }
    await stage.app.events.sending.sendAll();
    const received = () => receiver.received.filter((one) => one.path === path);
    assert.equal(received().length, 1, 'Sent twice, received once.');
    const [one] = received();
    assert.ok(one);
    receiver.verify(secret, one);
    const { receivedAt, url, ...data } = one.event.data;
    assert.equal(url, `http://localhost:3000/api/events/${one.event.id}`);
    assert.match(String(receivedAt), /^\d{4}-.*Z$/);
    assert.deepEqual(data, {
      provider: 'github',
      connection: 'default',
      account: { id: account, label: `${account}@example.com` },
      type: 'issues',
      id: 'd-1',
      verified: 'signature',
      payload: JSON.parse(issueBy(account)),
    });
    assert.deepEqual(await stage.listEvents(other.member), [], "Nothing of another team's account.");
    const { integrations, events } = stage.app;
    for (const [teamId, count] of [
      [team.id, 1],
      [other.team.id, 0],
    ] as const) {
      const [{ id: own } = assert.fail()] = await integrations.listConnectionIds(teamId);
      assert.equal((await events.countRecent(teamId, [own], 60_000)).get(own) ?? 0, count);
    }
    assert.deepEqual(
      (await stage.listEvents(admin, 'provider.event:github')).map(({ id: event }) => event),
      [one.event.id],
    );
    stage.clock.advance(1_000);
    const replay = await stage.server.inject({
      method: 'POST',
      url: `/api/events/endpoints/${id}/replay`,
      headers: admin.headers,
      payload: { since: new Date(stage.clock.now() - 60_000).toISOString() },
    });
    assert.ok(replay.statusCode < 300, replay.body);
    await stage.app.events.sending.sendAll();
    assert.deepEqual(
      received().map(({ event }) => event.id),
      [one.event.id, one.event.id],
      'Sent again.',
    );
  });

  test("at a team's own address is that team's, whatever it is about", async () => {
    const { admin, member, account } = await createTeam();
    const other = await createTeam();
    const waiting = await stage.openAddress(admin, 'github');
    assert.deepEqual(waiting.secrets, [], 'The address comes before the secret.');
    const early = await signAsGitHub('{}', { secret: 'chosen-by-the-team', type: 'ping', id: 'd-0', now: 0 });
    assert.equal((await stage.send(waiting.path, early)).status, 403);
    await stage.app.integrations.webhooks.sightings.flush();
    const { lastRefusal } = JSON.parse((await stage.ask(admin, 'GET', 'github/webhook')).body);
    assert.equal(lastRefusal.reason, 'no_secret');
    assert.match(lastRefusal.message, /^No secret has been added here yet/);
    for (const provider of ['github', 'gitlab']) {
      const short = await stage.ask(admin, 'PUT', `${provider}/webhook`, { secret: ' 1234567 ' });
      assert.equal(expectProblem(short, 422, provider).code, 'integrations.webhook_secret_invalid');
      assert.match(short.body, /at least 8 characters/);
    }
    const { path, secrets } = await stage.openAddress(admin, 'github', 'chosen-by-the-team');
    assert.equal(path, waiting.path, 'A secret changes no address.');
    assert.equal(secrets.length, 1);
    const sign = (body: string, id: string, secret = 'chosen-by-the-team') =>
      signAsGitHub(body, { secret, type: 'issues', id, now: 0 });
    assert.equal((await stage.send(path, await sign(issueBy(account), 'd-1'))).status, 200);
    assert.equal((await stage.send(path, await sign(issueBy(other.account), 'd-2'))).status, 200);
    assert.equal((await stage.send(path, await sign(issueBy(account), 'd-3', 'another'))).status, 403);
    const events = await stage.listEvents(member);
    assert.deepEqual(
      events.map(({ data }) => [data['id'], data['connection']]),
      [
        ['d-1', 'default'],
        ['d-2', null],
      ],
    );
    assert.deepEqual(await stage.listEvents(other.member), []);
    await stage.app.integrations.webhooks.sightings.flush();
    const shown = JSON.parse((await stage.ask(admin, 'GET', 'github/webhook')).body);
    assert.deepEqual([shown.lastDelivery.type, shown.lastDelivery.connection], ['issues', null]);
    assert.equal(shown.lastRefusal.reason, 'other_secret');
    assert.match(shown.secrets[0].usedAt, /Z$/);
  });

  test('that is only a sign of life shows that the address and the secret work, and is no event', async () => {
    const { admin, member } = await createTeam();
    const { path } = await stage.openAddress(admin, 'github', 'chosen-by-the-team');
    const ping = await signAsGitHub('{"zen":"Keep it logically awesome."}', {
      ...{ secret: 'chosen-by-the-team', type: 'ping', id: 'p-1', now: 0 },
    });
    assert.equal((await stage.send(path, ping)).status, 200);
    await stage.app.integrations.webhooks.sightings.flush();
    const shown = JSON.parse((await stage.ask(admin, 'GET', 'github/webhook')).body);
    assert.deepEqual([shown.lastDelivery.type, shown.lastDelivery.connection], ['ping', null]);
    assert.match(shown.secrets[0].usedAt, /Z$/);
    assert.deepEqual(await stage.listEvents(member), []);
  });
});
