import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { OPERATOR, putCustomer } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { providerEvent } from '../harness/provider-events.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('an endpoint for what happens at connected accounts', (engine) => {
  const clock = createTestClock(Date.now());
  const stage = useStage(() => createTestApp(engine, { clock }));
  const receiver = useStage(startEventReceiver);
  let made = 0;

  const ask = async (method: 'GET' | 'POST' | 'PATCH', url: string, headers: Record<string, string>, body?: object) => {
    const answer = await stage.server.inject({ method, url, headers, ...(body && { payload: body }) });
    return { status: answer.statusCode, json: answer.json() };
  };

  /** Adds an endpoint, and says which events it has received since the last time. */
  const addEndpoint = async (headers: Record<string, string>, types: string[], path = '/api/events') => {
    const place = `/provider-events/${++made}`;
    const url = new URL(place, receiver.url).href;
    const { status, json } = await ask('POST', `${path}/endpoints`, headers, { url, types });
    assert.equal(status, 201, JSON.stringify(json));
    let seen = 0;
    const receive = async (): Promise<unknown[]> => {
      await stage.app.events.sending.sendAll();
      const all = receiver.received.filter((one) => one.path === place);
      for (const one of all.slice(seen)) receiver.verify(json.secret, one);
      const ids = all.slice(seen).map(({ event }) => event.data['id']);
      seen = all.length;
      return ids.sort();
    };
    return { id: json.id as string, receive, bodies: () => receiver.received.filter((one) => one.path === place) };
  };

  const record = (...events: Parameters<typeof stage.app.events.record>[1][]) =>
    stage.app.database.transaction((tx) => stage.app.events.record(tx, ...events));

  const call = (teamId: string) => ({ teamId, type: 'call.started' as const, subject: 'call', data: { id: 'call' } });

  test('gets those that it chose, by name, and no other', async () => {
    const { team, admin } = await stage.createTeam(`choices-${++made}`);
    const all = await addEndpoint(admin.headers, ['*']);
    const everyOne = await addEndpoint(admin.headers, ['provider.event']);
    const github = await addEndpoint(admin.headers, ['provider.event:github']);
    const issues = await addEndpoint(admin.headers, ['provider.event:github/issues', 'call.*']);
    const both = await addEndpoint(admin.headers, ['*', 'provider.event:slack', 'provider.event:slack/message']);
    await record(
      providerEvent(team.id, { id: 'issues' }),
      providerEvent(team.id, { id: 'push', topic: 'push' }),
      providerEvent(team.id, { id: 'message', provider: 'slack', topic: 'message' }),
      call(team.id),
    );
    assert.deepEqual(await all.receive(), ['call']);
    assert.deepEqual(await everyOne.receive(), ['issues', 'message', 'push']);
    assert.deepEqual(await github.receive(), ['issues', 'push']);
    assert.deepEqual(await issues.receive(), ['call', 'issues']);
    assert.deepEqual(await both.receive(), ['call', 'message']);
  });

  test('gets nothing of another team', async () => {
    const [one, other] = [await stage.createTeam(`one-${++made}`), await stage.createTeam(`other-${made}`)];
    const endpoint = await addEndpoint(other.admin.headers, ['*', 'provider.event']);
    await record(providerEvent(one.team.id));
    assert.deepEqual(await endpoint.receive(), []);
  });

  test('gets them again if a period is replayed or one is sent again, and "*" gets none even then', async () => {
    const { team, admin } = await stage.createTeam(`again-${++made}`);
    const all = await addEndpoint(admin.headers, ['*']);
    const issues = await addEndpoint(admin.headers, ['provider.event:github/issues']);
    const since = new Date(clock.now()).toISOString();
    await record(providerEvent(team.id, { id: 'issues' }), providerEvent(team.id, { id: 'push', topic: 'push' }));
    assert.deepEqual(await issues.receive(), ['issues']);
    clock.advance(60_000);
    for (const { id } of [all, issues]) {
      const replayed = await ask('POST', `/api/events/endpoints/${id}/replay`, admin.headers, { since });
      assert.equal(replayed.status, 202);
    }
    assert.deepEqual([await all.receive(), await issues.receive()], [[], ['issues']]);
    const { json } = await ask('GET', '/api/events?type=provider.event', admin.headers);
    const counts = [];
    for (const { id } of json.events)
      counts.push((await ask('POST', `/api/events/${id}/resend`, admin.headers)).json.endpoints);
    assert.deepEqual(counts, [1, 0]);
    assert.deepEqual([await all.receive(), await issues.receive()], [[], ['issues']]);
  });

  test('gets the payload to the last digit, and signed', async () => {
    const { team, admin } = await stage.createTeam(`digits-${++made}`);
    const endpoint = await addEndpoint(admin.headers, ['provider.event']);
    await record(providerEvent(team.id, { payload: '{"id":820982911946154508,"total":1.10}' }));
    assert.equal((await endpoint.receive()).length, 1);
    assert.match(endpoint.bodies()[0]?.body ?? '', /"payload":\{"id":820982911946154508,"total":1\.10\}/);
  });

  test('of the operator gets those of customers that it chose, and nothing that fits no connection', async () => {
    const customer = await putCustomer(stage, `customer-${++made}`);
    const other = await stage.createTeam(`without-key-${made}`);
    const all = await addEndpoint(OPERATOR, ['*'], '/api/operator/events');
    const chosen = await addEndpoint(OPERATOR, ['provider.event:github'], '/api/operator/events');
    const firstTeamId = await stage.app.events.getFirstTeamId();
    await record(
      providerEvent(customer.id, { id: 'theirs' }),
      providerEvent(other.team.id, { id: 'ours' }),
      providerEvent(firstTeamId, { id: 'nobody’s', type: 'provider.unmatched' }),
    );
    assert.deepEqual([await all.receive(), await chosen.receive()], [[], ['theirs']]);
    for (const types of [['provider.unmatched'], ['provider.*']]) {
      const body = { url: receiver.url, types };
      assert.equal((await ask('POST', '/api/operator/events/endpoints', OPERATOR, body)).status, 400);
    }
  });

  test('can have fifty choices, each of which is checked', async () => {
    const { admin } = await stage.createTeam(`fifty-${++made}`);
    const create = (types: string[]) =>
      ask('POST', '/api/events/endpoints', admin.headers, { url: receiver.url, types });
    const choices = Array.from({ length: 51 }, (_, index) => `provider.event:github/type-${index}`);
    assert.equal((await create(choices)).status, 400);
    assert.equal((await create(choices.slice(1))).status, 201);
    for (const wrong of ['provider.event:', 'provider.event:GitHub', 'provider.event:github/', 'provider.event:a/ b'])
      assert.equal((await create([wrong])).status, 400, wrong);
    await stage.app.events.sending.sendAll();
  });
});
