import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BROWSER,
  expectConnected,
  expectParked,
  expectRefused,
  startConnectStage,
  withParams,
} from '../harness/connect-flow.ts';
import { onEachEngine } from '../harness/databases.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const MANY = 50;

onEachEngine('a state that comes back more than once', (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  const team = prepare(() => flow.stage.createTeam('acme'));
  const others = prepare(() => flow.stage.createTeam('others'));

  const comeBack = async (payload: object = {}) => {
    const begun = await flow.begin(team.member, 'github', payload);
    return { ...begun, back: flow.consent(begun.authorizationUrl), before: flow.exchanges() };
  };

  const arriveMany = (path: string, headers: Record<string, string>) =>
    Promise.all(Array.from({ length: MANY }, () => flow.arrive(path, headers)));

  test('gives the same proven caller the same outcome, whatever the proof, without a second token request', async () => {
    const { back, cookie, before } = await comeBack();
    const first = await flow.arrive(back, { cookie });
    expectConnected(first);
    for (const headers of [{ cookie }, team.member.headers, { cookie, ...team.member.headers }]) {
      const again = await flow.arrive(back, headers);
      assert.deepEqual([again.statusCode, again.json()], [200, first.json()]);
    }
    const page = await flow.arrive(back, { ...BROWSER, cookie });
    assert.equal(page.statusCode, 200);
    assert.match(page.body, /GitHub is connected/);
    assert.equal(flow.exchanges(), before + 1);
  });

  test('gets 409 for everyone else', async () => {
    const { back, cookie, before } = await comeBack();
    expectConnected(await flow.arrive(back, { cookie }));
    const another = await flow.begin(others.member);
    for (const headers of [{}, team.admin.headers, others.member.headers, { cookie: another.cookie }])
      expectRefused(await flow.arrive(back, headers), 409, 'integrations.state_used');
    assert.equal(flow.exchanges(), before + 1);
  });

  test('repeats a failure as the same failure, without a second token request', async () => {
    const { back, cookie, before } = await comeBack();
    const spoiled = withParams(back, { code: 'a-code-of-nobody' });
    expectRefused(await flow.arrive(spoiled, { cookie }), 502, 'integrations.exchange_invalid_grant');
    for (const path of [spoiled, back])
      expectRefused(await flow.arrive(path, { cookie }), 502, 'integrations.exchange_invalid_grant');
    assert.equal(flow.exchanges(), before + 1);
  });

  test('is one state however it is encoded', async () => {
    const { back, state, cookie, before } = await comeBack();
    expectConnected(await flow.arrive(back, { cookie }));
    const body = state.split('.').at(-1) ?? '';
    const last = body.at(-1) ?? '';
    const neighbours = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].filter(
      (one) => one !== last,
    );
    const spellings = [
      ...['=', '==', ' ', '\n', '!', '%00'].map((tail) => `${state}${tail}`),
      ...neighbours.map((one) => `${state.slice(0, -1)}${one}`),
      state.replaceAll('-', '+').replaceAll('_', '/'),
    ];
    for (const spelling of spellings.filter((one) => one !== state)) {
      const answer = await flow.arrive(withParams(back, { state: spelling }));
      assert.ok([400, 409].includes(answer.statusCode), `${JSON.stringify(spelling.slice(-8))}: ${answer.body}`);
    }
    assert.equal(flow.exchanges(), before + 1);
  });

  test(`${MANY} times at once, with proof, makes one token request with one outcome for all`, async () => {
    const { back, cookie, before } = await comeBack();
    flow.simulator.fail('github', 'token', { delayMs: 50 });
    const answers = await arriveMany(back, { cookie });
    for (const answer of answers) expectConnected(answer);
    assert.equal(new Set(answers.map(({ body }) => body)).size, 1);
    assert.equal(flow.exchanges(), before + 1);
  });

  test(`${MANY} times at once, without proof, is parked once and gets 409 for the rest`, async () => {
    const { back, before } = await comeBack();
    const answers = await arriveMany(back, {});
    const parked = answers.filter(({ statusCode }) => statusCode === 202);
    assert.equal(parked.length, 1);
    for (const answer of answers.filter(({ statusCode }) => statusCode !== 202))
      expectRefused(answer, 409, 'integrations.state_used');
    assert.equal(flow.exchanges(), before);
  });

  test('at once with and without proof makes one token request, and the proof wins', async () => {
    const { back, cookie, before } = await comeBack();
    const [unproved, proved] = await Promise.all([arriveMany(back, {}), arriveMany(back, { cookie })]);
    for (const answer of proved) expectConnected(answer);
    assert.ok(unproved.filter(({ statusCode }) => statusCode === 202).length <= 1);
    assert.equal(flow.exchanges(), before + 1);
  });

  test('first with an attacker’s code and no proof: the proven caller exchanges its own code', async () => {
    const { back, cookie, before } = await comeBack();
    const foreign = await flow.begin(others.member);
    const code = new URL(flow.consent(foreign.authorizationUrl), 'http://localhost').searchParams.get('code') ?? '';
    const attempt = expectParked(await flow.arrive(withParams(back, { code })));
    assert.equal(flow.exchanges(), before);
    expectConnected(await flow.arrive(back, { cookie }));
    const sent = flow.simulator.requestsOf('github', 'token').slice(before);
    const own = new URL(back, 'http://localhost').searchParams.get('code');
    assert.deepEqual(
      sent.map(({ params }) => params['code']),
      [own],
    );
    for (const person of [team.member, others.member])
      assert.ok([404, 409].includes((await flow.complete(person, attempt)).statusCode));
    assert.equal(flow.exchanges(), before + 1);
  });

  test('is remembered past its expiry, and then counts as expired, not as new', async () => {
    const { back, cookie, before } = await comeBack();
    expectConnected(await flow.arrive(back, { cookie }));
    flow.clock.advance(10 * 60_000);
    expectRefused(await flow.arrive(back, { cookie }), 400, 'integrations.state_expired');
    assert.equal(flow.exchanges(), before + 1);
  });
});
