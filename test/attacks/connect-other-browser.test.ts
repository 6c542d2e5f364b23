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
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

onOneEngine('a flow finished by another browser', (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  const attackers = prepare(() => flow.stage.createTeam('attackers'));
  const victims = prepare(() => flow.stage.createTeam('victims'));

  /** The attacker begins, and the victim allows it at the provider. */
  const lure = async (payload: object = {}) => {
    const begun = await flow.begin(attackers.member, 'github', payload);
    return { begun, back: flow.consent(begun.authorizationUrl), before: flow.exchanges() };
  };

  const expectNothingDone = async (before: number) => {
    assert.equal(flow.exchanges(), before, 'a token request was made');
    assert.equal(await flow.statusOf(attackers.member), 'disconnected');
    assert.equal(await flow.statusOf(victims.member), 'disconnected');
  };

  test('is parked, and no token request is made', async () => {
    const { back, before } = await lure();
    expectParked(await flow.arrive(back));
    await expectNothingDone(before);
  });

  test('is parked whoever else that browser is signed in as, including the attacker’s teammates', async () => {
    const others = [
      victims.member.headers,
      victims.admin.headers,
      attackers.admin.headers,
      (await openSession(flow.stage, victims.member.user)).headers,
      (await openSession(flow.stage, attackers.admin.user)).headers,
    ];
    for (const headers of others) {
      const { back, before } = await lure();
      expectParked(await flow.arrive(back, headers));
      await expectNothingDone(before);
    }
  });

  test('is parked even if that browser started a flow of its own', async () => {
    const own = await flow.begin(victims.member);
    const { back, before } = await lure();
    expectParked(await flow.arrive(back, { cookie: own.cookie }));
    await expectNothingDone(before);
  });

  test('gets a page that says who started it and why, and offers to sign in', async () => {
    const { back, before } = await lure();
    const answer = await flow.arrive(back, BROWSER);
    assert.equal(answer.statusCode, 200);
    assert.match(String(answer.headers['content-type']), /^text\/html/);
    assert.equal(answer.headers['referrer-policy'], 'no-referrer');
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.match(String(answer.headers['content-security-policy']), /frame-ancestors 'none'/);
    assert.match(answer.body, /member@attackers\.example/);
    assert.match(answer.body, /href="\/sign-in\?returnTo=/);
    assert.doesNotMatch(answer.body, /<form/, 'nobody is signed in who could press a button');
    await expectNothingDone(before);
  });

  test('returns to returnTo with nothing but a request to confirm', async () => {
    const { back, before } = await lure({ returnTo: '/done?tab=1' });
    const answer = await flow.arrive(back, BROWSER);
    assert.equal(answer.statusCode, 303);
    assert.equal(answer.headers['referrer-policy'], 'no-referrer');
    const { pathname, searchParams } = new URL(String(answer.headers.location), 'http://localhost:3000');
    const { attempt, ...rest } = Object.fromEntries(searchParams);
    assert.equal(pathname, '/done');
    assert.deepEqual(rest, { tab: '1', provider: 'github', outcome: 'confirm' });
    assert.match(attempt ?? '', /^[\w-]{43}$/);
    await expectNothingDone(before);
  });

  test('keeps the code sealed in the database, and neither the attempt nor the state', async () => {
    const { begun, back } = await lure();
    const attempt = expectParked(await flow.arrive(back));
    const rows = await flow.stage.app.database.all<{ callback: string | null }>('select * from connect_attempts');
    const code = new URL(back, 'http://localhost').searchParams.get('code') ?? 'none';
    const text = JSON.stringify(rows);
    for (const secret of [code, attempt, begun.state]) assert.ok(!text.includes(secret));
    assert.match(rows.at(-1)?.callback ?? '', /^v1\./);
  });

  test('does not send the victim’s code for the attacker, who knows the state but not the attempt', async () => {
    const { begun, back, before } = await lure();
    expectParked(await flow.arrive(back));
    const code = new URL(back, 'http://localhost').searchParams.get('code');
    const answer = await flow.arrive(withParams(back, { code: 'what-the-attacker-makes-up' }), {
      ...attackers.member.headers,
      cookie: begun.cookie,
    });
    expectRefused(answer, 502, 'integrations.exchange_invalid_grant');
    const sent = flow.simulator.requestsOf('github', 'token').slice(before);
    assert.ok(
      sent.every(({ params }) => params['code'] !== code),
      "the victim's code was spent",
    );
    assert.equal(await flow.statusOf(attackers.member), 'disconnected');
  });

  test('is connected by its own user once given the attempt, and by nobody before', async () => {
    const { back, before } = await lure();
    const attempt = expectParked(await flow.arrive(back));
    assert.equal(flow.exchanges(), before);
    expectConnected(await flow.complete(attackers.member, attempt));
    assert.equal(flow.exchanges(), before + 1);
  });

  test('is connected immediately if that browser or program proves it started the flow', async () => {
    const proofs = [attackers.member.headers, (await openSession(flow.stage, attackers.member.user)).headers];
    for (const headers of proofs) {
      const { back, before } = await lure();
      expectConnected(await flow.arrive(back, headers));
      assert.equal(flow.exchanges(), before + 1);
    }
  });
});
