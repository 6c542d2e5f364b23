import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Engine } from '../../src/platform/index.ts';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { OPERATOR, putCustomer } from '../harness/customers.ts';
import { onEachEngine, onOneEngine } from '../harness/databases.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { runTogether } from '../harness/run-together.ts';
import { useStage } from '../harness/use-stage.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The time between attempts, without the jitter that makes it longer by up to a tenth. */
const WAITS_MS = [
  ...[5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS],
  ...[10 * HOUR_MS, 14 * HOUR_MS, 20 * HOUR_MS, 24 * HOUR_MS],
];
const withJitter = (ms: number): number => Math.ceil(ms * 1.1);

/** The service of a suite, and a receiver of its events. */
const useHouse = (engine: Engine) => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp(engine, { clock }));
  const receiver = useStage(startEventReceiver);
  let made = 0;

  const ask = async (
    headers: Record<string, string>,
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    payload?: object,
  ) => {
    const answer = await house.server.inject({ method, url, headers, ...(payload && { payload }) });
    return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() };
  };

  const record = (teamId: string, subject: string, type: 'call.started' | 'call.missed' = 'call.started') =>
    house.app.database.transaction((tx) =>
      house.app.events.record(tx, { teamId, type, subject, data: { id: subject } }),
    );

  const sendAll = () => house.app.events.sending.sendAll();

  /** A team with an endpoint of its own at the receiver. */
  const createStage = async (input: object = {}) => {
    const path = `/hook/${++made}`;
    const { team, admin, member } = await house.createTeam(`endpoints-${made}`);
    const url = new URL(path, receiver.url).href;
    const { body } = await ask(admin.headers, 'POST', '/api/events/endpoints', { url, ...input });
    const { id, secret } = body;
    const endpointPath = `/api/events/endpoints/${id}`;
    return {
      ...{ team, admin, member, id, secret, path, endpointPath },
      record: (subject: string, type?: 'call.started' | 'call.missed') => record(team.id, subject, type),
      received: () => receiver.received.filter((one) => one.path === path),
      subjects: () => receiver.received.filter((one) => one.path === path).map(({ event }) => event.data['id']),
      show: async () => (await ask(admin.headers, 'GET', endpointPath)).body,
      ask: (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', rest = '', payload?: object) =>
        ask(admin.headers, method, `${endpointPath}${rest}`, payload),
    };
  };

  return { clock, house, receiver, ask, record, sendAll, createStage };
};

onOneEngine('events are sent to endpoints', (engine) => {
  const { clock, house, receiver, ask, record, sendAll, createStage } = useHouse(engine);

  test('which only admins of the team can see and change', async () => {
    const { endpointPath, member } = await createStage();
    const other = await house.createTeam('endpoints-other');
    const list = '/api/events/endpoints';
    assert.equal((await ask({}, 'GET', list)).status, 401);
    assert.equal((await ask(member.headers, 'GET', list)).status, 403);
    assert.deepEqual((await ask(other.admin.headers, 'GET', list)).body, { endpoints: [] });
    for (const [method, rest, payload] of [
      ['GET', ''],
      ['PATCH', '', { active: false }],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/rotate'],
      ['POST', '/replay', { since: '2026-11-01T00:00:00Z' }],
    ] as const) {
      const { status, body } = await ask(other.admin.headers, method, `${endpointPath}${rest}`, payload);
      assert.deepEqual([status, body.code], [404, 'events.endpoint_unknown'], `${method} ${rest}`);
    }
  });

  test('as Standard Webhooks describes it', async () => {
    const { record: happen, received, secret, team } = await createStage();
    await happen('signed');
    await sendAll();
    const [one, ...others] = received();
    assert.ok(one);
    assert.equal(others.length, 0);
    assert.match(secret, /^whsec_/);
    assert.equal(one.headers['webhook-id'], one.event.id);
    assert.equal(one.headers['content-type'], 'application/json');
    assert.deepEqual(one.event.team, { id: team.id, key: null });
    assert.equal(one.event.data['id'], 'signed');
    assert.equal(one.headers['webhook-timestamp'], String(Math.floor(clock.now() / 1_000)));
  });

  test('with a signature that the reference library accepts', async () => {
    const now = createTestClock(Date.now());
    const own = await createTestApp(engine, { clock: now });
    try {
      const { team, admin } = await own.createTeam('signed');
      const url = new URL('/signed', receiver.url).href;
      const created = await own.server.inject({
        ...{ method: 'POST', url: '/api/events/endpoints', headers: admin.headers, payload: { url } },
      });
      const { id, secret } = created.json();
      const happen = () =>
        own.app.database.transaction((tx) =>
          own.app.events.record(tx, { teamId: team.id, type: 'call.started', subject: 'a', data: { id: 'a' } }),
        );
      const receivedAll = () => receiver.received.filter(({ path }) => path === '/signed');
      await happen();
      await own.app.events.sending.sendAll();
      const [first] = receivedAll();
      assert.ok(first);
      assert.deepEqual(receiver.verify(secret, first), first.event);
      assert.throws(() => receiver.verify(secret, { ...first, body: `${first.body} ` }));

      const rotated = await own.server.inject({
        ...{ method: 'POST', url: `/api/events/endpoints/${id}/rotate`, headers: admin.headers },
      });
      const { secret: next } = rotated.json();
      assert.notEqual(next, secret);
      await happen();
      await own.app.events.sending.sendAll();
      const second = receivedAll()[1];
      assert.ok(second);
      for (const either of [secret, next]) assert.deepEqual(receiver.verify(either, second), second.event);

      now.advance(DAY_MS);
      await happen();
      await own.app.events.sending.sendAll();
      const third = receivedAll()[2];
      assert.ok(third);
      assert.equal(third.headers['webhook-signature']?.split(' ').length, 1);
    } finally {
      await own.close();
    }
  });

  test('at addresses that make sense', async () => {
    const { admin } = await createStage();
    for (const url of ['not a url', 'ftp://example.com/', 'https://user:pass@example.com/', 'https://example.com/#x']) {
      const { status, body } = await ask(admin.headers, 'POST', '/api/events/endpoints', { url });
      assert.deepEqual([status, body.code], [400, 'events.url_invalid'], url);
    }
  });

  test('only of the types they want', async () => {
    const { record: happen, subjects } = await createStage({ types: ['call.missed', 'report.*'] });
    await happen('started');
    await happen('missed', 'call.missed');
    await sendAll();
    assert.deepEqual(subjects(), ['missed']);
  });

  test('only of their own team, from when they were added', async () => {
    const { admin, team, record: happen } = await createStage();
    const stranger = await createStage();
    await happen('before');
    await sendAll();
    const url = new URL('/hook/late', receiver.url).href;
    await ask(admin.headers, 'POST', '/api/events/endpoints', { url });
    await record(team.id, 'after');
    await sendAll();
    const late = receiver.received.filter(({ path }) => path === '/hook/late');
    assert.deepEqual(
      late.map(({ event }) => event.data['id']),
      ['after'],
    );
    assert.deepEqual(stranger.subjects(), []);
  });

  test('again and again until they are accepted', async () => {
    const { record: happen, subjects, show } = await createStage();
    receiver.respondWith(500);
    await happen('stubborn');
    await sendAll();
    let attempts = 1;
    for (const waitMs of WAITS_MS.slice(0, 4)) {
      clock.advance(waitMs - 1);
      await sendAll();
      assert.equal(subjects().length, attempts, 'Not before its time.');
      clock.advance(withJitter(waitMs) - waitMs + 1);
      await sendAll();
      assert.equal(subjects().length, ++attempts);
    }
    assert.notEqual((await show()).failingSince, null);
    receiver.respond = receiver.accept;
    clock.advance(withJitter(5 * HOUR_MS));
    await sendAll();
    assert.equal(subjects().length, ++attempts);
    clock.advance(30 * HOUR_MS);
    await sendAll();
    assert.equal(subjects().length, attempts, 'Once it was accepted, it is not sent again.');
    assert.equal((await show()).failingSince, null);
  });

  test('ten times, and then no more', async () => {
    const { record: happen, subjects, admin, received } = await createStage();
    const healthy = () => receiver.accept;
    receiver.respond = (one, response) =>
      one.event.data['id'] === 'poison' ? void response.writeHead(500).end() : receiver.accept(one, response);
    await happen('poison');
    await happen('fine');
    await sendAll();
    for (const waitMs of WAITS_MS) {
      await happen('fine');
      clock.advance(withJitter(waitMs));
      await sendAll();
    }
    clock.advance(3 * DAY_MS);
    await sendAll();
    assert.equal(subjects().filter((subject) => subject === 'poison').length, 10);
    const { id } = received().find(({ event }) => event.data['id'] === 'poison')?.event ?? {};
    const { body } = await ask(admin.headers, 'GET', `/api/events/${id}`);
    assert.equal(body.attempts.length, 10);
    const [{ endpoint: _, at: __, durationMs: ___, ...last }] = body.attempts;
    assert.deepEqual(last, { status: 500, error: 'The receiver responded with 500.' });
    receiver.respond = healthy();
  });

  test('later, if the receiver asks for it, but within an hour', async () => {
    const { record: happen, subjects } = await createStage();
    receiver.respondWith(503, { 'retry-after': String(365 * 24 * 3_600) });
    await happen('patient');
    await sendAll();
    clock.advance(59 * MINUTE_MS);
    await sendAll();
    assert.equal(subjects().length, 1);
    receiver.respond = receiver.accept;
    clock.advance(MINUTE_MS);
    await sendAll();
    assert.equal(subjects().length, 2);
  });

  test('never to where a receiver redirects', async () => {
    const { record: happen, subjects, admin, received } = await createStage();
    receiver.respondWith(302, { location: new URL('/elsewhere', receiver.url).href });
    await happen('redirected');
    await sendAll();
    receiver.respond = receiver.accept;
    assert.deepEqual(receiver.typesTo('/elsewhere'), []);
    const { body } = await ask(admin.headers, 'GET', `/api/events/${received()[0]?.event.id}`);
    assert.equal(body.attempts[0].error, 'The receiver redirected (302). Redirects are not followed.');
    clock.advance(6 * SECOND_MS);
    await sendAll();
    assert.deepEqual(subjects(), ['redirected', 'redirected']);
  });

  test('no longer once a receiver is gone', async () => {
    const { record: happen, subjects, show, ask: askEndpoint } = await createStage();
    receiver.respondWith(410);
    await happen('farewell');
    await sendAll();
    receiver.respond = receiver.accept;
    const { active, inactiveReason } = await show();
    assert.deepEqual([active, inactiveReason], [false, 'gone']);
    await happen('unheard');
    clock.advance(DAY_MS);
    await sendAll();
    assert.deepEqual(subjects(), ['farewell']);
    assert.equal((await askEndpoint('PATCH', '', { active: true })).body.active, true);
    await happen('again');
    await sendAll();
    assert.deepEqual(subjects(), ['farewell', 'again'], 'What it missed is left out until somebody replays it.');
  });

  test('no longer after five days of nothing but failures', async () => {
    const { record: happen, show } = await createStage();
    receiver.respondWith(500);
    for (let day = 0; day < 5; day++) {
      await happen(`day ${day}`);
      await sendAll();
      assert.equal((await show()).active, true, `day ${day}`);
      clock.advance(DAY_MS);
    }
    await happen('the last');
    await sendAll();
    receiver.respond = receiver.accept;
    const { active, inactiveReason } = await show();
    assert.deepEqual([active, inactiveReason], [false, 'failing']);
  });

  test('as a test, at once, with what the receiver said', async () => {
    const { ask: askEndpoint, received, secret, admin } = await createStage();
    const { status, body } = await askEndpoint('POST', '/test');
    assert.equal(status, 200);
    assert.deepEqual([body.delivered, body.status, body.error], [true, 204, null]);
    const [one] = received();
    assert.deepEqual([one?.event.type, one?.event.id], ['test', body.event]);
    assert.ok(secret);
    receiver.respondWith(418);
    const failed = await askEndpoint('POST', '/test');
    receiver.respond = receiver.accept;
    assert.deepEqual([failed.body.delivered, failed.body.status], [false, 418]);
    await sendAll();
    assert.equal(received().length, 2, 'A test is sent once.');
    const shown = await ask(admin.headers, 'GET', `/api/events/${body.event}`);
    assert.equal(shown.body.attempts.length, 1);
  });

  test('once more, if somebody wants that', async () => {
    const { record: happen, subjects, received, admin, member } = await createStage();
    await happen('lost');
    await sendAll();
    const url = `/api/events/${received()[0]?.event.id}/resend`;
    assert.equal((await ask(member.headers, 'POST', url)).status, 403);
    assert.deepEqual(await ask(admin.headers, 'POST', url), { status: 202, body: { endpoints: 1 } });
    await sendAll();
    assert.deepEqual(subjects(), ['lost', 'lost']);
    assert.equal(received()[0]?.event.id, received()[1]?.event.id);
    const unknown = await ask(admin.headers, 'POST', `/api/events/evt_${house.app.newId()}/resend`);
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'events.event_unknown']);
  });

  test('signed with every secret of the last day, however often it was rotated', async () => {
    const { record: happen, received, ask: askEndpoint } = await createStage();
    const signatures = async (): Promise<string[]> => {
      await happen('signed');
      await sendAll();
      return received().at(-1)?.headers['webhook-signature']?.split(' ') ?? [];
    };
    const rotate = async () => (await askEndpoint('POST', '/rotate')).body.secret as string;
    const secrets = new Set<string>();
    for (const count of [2, 3, 4]) {
      secrets.add(await rotate());
      assert.equal((await signatures()).length, count);
      clock.advance(HOUR_MS);
    }
    assert.equal(secrets.size, 3);
    clock.advance(21 * HOUR_MS);
    assert.equal((await signatures()).length, 3, 'The first has ended.');
    clock.advance(2 * HOUR_MS);
    assert.equal((await signatures()).length, 1);
    for (let count = 0; count < 20; count++) await rotate();
    assert.equal((await signatures()).length, 6, 'There is a limit.');
  });

  test('of all customers, to the operator', async () => {
    const { id: customerId } = await putCustomer(house, 'events-customer');
    const { team } = await createStage();
    const url = new URL('/operator', receiver.url).href;
    const { status, body } = await ask(OPERATOR, 'POST', '/api/operator/events/endpoints', { url });
    assert.equal(status, 201);
    await record(customerId, 'theirs');
    await record(team.id, 'not theirs');
    await sendAll();
    const told = receiver.received.filter(({ path }) => path === '/operator');
    assert.deepEqual(
      told.map(({ event }) => [event.data['id'], event.team]),
      [['theirs', { id: customerId, key: 'events-customer' }]],
    );
    const asTeam = { ...OPERATOR, 'patchbay-team': 'events-customer' };
    const shown = await ask(asTeam, 'GET', `/api/events/${told[0]?.event.id}`);
    assert.deepEqual(shown.body.attempts, [], 'A team doesn’t see where the operator is told.');
    const ofOperator = await ask(OPERATOR, 'GET', `/api/operator/events/${told[0]?.event.id}`);
    assert.equal(ofOperator.body.attempts.length, 1);
    const endpoint = `/api/operator/events/endpoints/${body.id}`;
    const tested = await ask(OPERATOR, 'POST', `${endpoint}/test`);
    const test = await ask(OPERATOR, 'GET', `/api/operator/events/${tested.body.event}`);
    assert.deepEqual([test.status, test.body.attempts?.length], [200, 1]);
    assert.equal(new URL(test.body.data.url).pathname, endpoint);
    assert.equal((await ask(OPERATOR, 'DELETE', `/api/operator/events/endpoints/${body.id}`)).status, 204);
  });
});

onEachEngine('events are sent to endpoints as they are stored', (engine) => {
  const { clock, house, receiver, ask, sendAll, createStage } = useHouse(engine);

  test('whose secrets and addresses are sealed, and shown to nobody twice', async () => {
    const { secret, id, show } = await createStage();
    assert.equal('secret' in (await show()), false);
    const rows = await house.app.database.all<object>('select * from event_endpoints where id = $1', [id]);
    assert.equal(rows.length, 1);
    assert.doesNotMatch(JSON.stringify(rows), /127\.0\.0\.1/);
    assert.equal(JSON.stringify(rows).includes(secret), false);
  });

  test('of which a team can have ten', async () => {
    const { admin } = await createStage();
    const create = () => ask(admin.headers, 'POST', '/api/events/endpoints', { url: receiver.url });
    for (let count = 1; count < 9; count++) assert.equal((await create()).status, 201);
    const [tenth, another] = await runTogether(house.app.database, 'event_endpoints', [create, create]);
    assert.deepEqual([tenth.status, another.status], [201, 409]);
    assert.equal((await create()).body.code, 'events.too_many_endpoints');
  });

  test('all of them, also if someone turns on an endpoint that is on', async () => {
    const { record: happen, subjects, show, ask: askEndpoint } = await createStage();
    receiver.respondWith(500);
    await happen('refused');
    await sendAll();
    receiver.respond = receiver.accept;
    const { failingSince } = await show();
    await happen('waiting');
    await house.app.events.findLogEnd(null);
    const { body } = await askEndpoint('PATCH', '', { active: true });
    assert.deepEqual([body.active, body.failingSince], [true, failingSince]);
    clock.advance(6 * SECOND_MS);
    await sendAll();
    assert.deepEqual(subjects().toSorted(), ['refused', 'refused', 'waiting']);
  });

  test('no longer once a receiver is gone, also if someone turns its endpoint off', async () => {
    const { record: happen, subjects, show, ask: askEndpoint } = await createStage();
    receiver.respondWith(410);
    await happen('farewell');
    await sendAll();
    receiver.respond = receiver.accept;
    const { inactiveSince } = await show();
    clock.advance(DAY_MS);
    const { body } = await askEndpoint('PATCH', '', { active: false });
    assert.deepEqual([body.inactiveReason, body.inactiveSince], ['gone', inactiveSince]);
    assert.deepEqual(subjects(), ['farewell']);
  });

  test('to a new address as soon as it is changed, and to none once it is deleted', async () => {
    const { record: happen, subjects, ask: askEndpoint } = await createStage();
    await happen('old');
    await sendAll();
    const moved = new URL('/moved', receiver.url);
    await askEndpoint('PATCH', '', { url: moved.href, description: 'moved' });
    await happen('new');
    await sendAll();
    assert.deepEqual(subjects(), ['old']);
    assert.deepEqual(receiver.typesTo(moved.pathname), ['call.started']);
    assert.equal((await askEndpoint('DELETE')).status, 204);
    await happen('nobody');
    await sendAll();
    assert.equal(receiver.typesTo(moved.pathname).length, 1);
    assert.equal((await askEndpoint('GET')).status, 404);
  });

  test('all of a period, if somebody wants that', async () => {
    const { record: happen, subjects, ask: askEndpoint, show } = await createStage();
    await happen('before');
    clock.advance(HOUR_MS);
    const since = new Date(clock.now()).toISOString();
    for (let count = 0; count < 45; count++) await happen(`within ${count}`);
    clock.advance(HOUR_MS);
    const until = new Date(clock.now()).toISOString();
    await happen('after');
    await sendAll();
    assert.equal(subjects().length, 47);
    const period = { since, until };
    assert.deepEqual(await askEndpoint('POST', '/replay', period), { status: 202, body: { replaying: true } });
    assert.equal((await askEndpoint('POST', '/replay', period)).body.code, 'events.replay_running');
    await sendAll();
    const again = subjects().slice(47);
    assert.deepEqual(new Set(again), new Set(Array.from({ length: 45 }, (_, count) => `within ${count}`)));
    assert.equal(again.length, 45);
    assert.equal((await show()).replaying, false);
    const backward = await askEndpoint('POST', '/replay', { since: until, until: since });
    assert.deepEqual([backward.status, backward.body.code], [400, 'events.period_invalid']);
  });

  test('all of a period, also if the clock was set back meanwhile', async () => {
    const { record: happen, subjects, ask: askEndpoint } = await createStage();
    clock.advance(HOUR_MS);
    const begun = clock.now();
    clock.advance(2 * HOUR_MS);
    for (let count = 0; count < 30; count++) await happen(`ahead ${count}`);
    await sendAll();
    clock.advance(begun - clock.now());
    const [since, until] = [begun, begun + HOUR_MS].map((at) => new Date(at).toISOString());
    for (let count = 0; count < 5; count++) await happen(`set back ${count}`);
    await sendAll();
    clock.advance(2 * HOUR_MS);
    for (let count = 0; count < 30; count++) await happen(`later ${count}`);
    await sendAll();
    clock.advance(HOUR_MS);
    const before = subjects().length;
    assert.deepEqual((await askEndpoint('POST', '/replay', { since, until })).body, { replaying: true });
    await sendAll();
    assert.deepEqual(
      subjects().slice(before).toSorted(),
      Array.from({ length: 5 }, (_, count) => `set back ${count}`),
    );
  });

  test('once more, also after a period in which nothing was for the endpoint', async () => {
    const { record: happen, subjects, show, ask: askEndpoint } = await createStage({ types: ['call.missed'] });
    const since = new Date(clock.now()).toISOString();
    await happen('unwanted');
    await sendAll();
    clock.advance(SECOND_MS);
    const nothing = { since, until: new Date(clock.now()).toISOString() };
    for (const _ of ['first', 'second']) {
      assert.equal((await askEndpoint('POST', '/replay', nothing)).status, 202);
      await sendAll();
      assert.equal((await show()).replaying, false);
    }
    await happen('wanted', 'call.missed');
    await sendAll();
    clock.advance(SECOND_MS);
    for (const _ of ['first', 'second']) {
      assert.equal((await askEndpoint('POST', '/replay', { since })).status, 202);
      await sendAll();
    }
    assert.deepEqual(subjects(), ['wanted', 'wanted', 'wanted']);
  });
});
