import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BROWSER, expectParked, expectRefused, startConnectStage, withParams } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

onOneEngine("an attacker's account slipped into somebody's team", (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  const attackers = prepare(() => flow.stage.createTeam('attackers'));
  const victims = prepare(() => flow.stage.createTeam('victims'));

  const codeOf = (path: string): string => new URL(path, 'http://localhost').searchParams.get('code') ?? '';

  test("does not get in by the attacker's callback address, opened in the victim's browser", async () => {
    const own = await flow.begin(attackers.member);
    const back = flow.consent(own.authorizationUrl, { account: 'account-of-the-attacker' });
    const victim = await flow.begin(victims.member);
    const { cookie } = await openSession(flow.stage, victims.member.user);
    const before = flow.exchanges();
    for (const accept of [BROWSER, {}]) {
      const answer = await flow.arrive(back, { ...accept, cookie: `${cookie}; ${victim.cookie}` });
      assert.ok([200, 202, 409].includes(answer.statusCode), answer.body);
    }
    assert.equal(flow.exchanges(), before);
    assert.equal(await flow.statusOf(victims.member), 'disconnected');
    assert.equal(await flow.statusOf(attackers.member), 'disconnected');
  });

  test("does not get in by the attacker's code under the victim's state: the provider asks for the verifier", async () => {
    const victim = await flow.begin(victims.member);
    const own = await flow.begin(attackers.member);
    const code = codeOf(flow.consent(own.authorizationUrl, { account: 'account-of-the-attacker' }));
    const path = withParams('/api/integrations/github/callback', { code, state: victim.state });
    const answer = await flow.arrive(path, { cookie: victim.cookie });
    expectRefused(answer, 502, 'integrations.exchange_invalid_grant');
    assert.equal(await flow.statusOf(victims.member), 'disconnected');
  });

  test('does not get in without a state, or with one naming someone else', async () => {
    const own = await flow.begin(attackers.member);
    const code = codeOf(flow.consent(own.authorizationUrl));
    const { cookie } = await openSession(flow.stage, victims.member.user);
    const before = flow.exchanges();
    const { id } = victims.member.user;
    for (const state of ['', id, btoa(id), JSON.stringify({ userId: id, teamId: victims.team.id })]) {
      const path = withParams('/api/integrations/github/callback', { code, state });
      assert.equal((await flow.arrive(path, { cookie })).statusCode, 400, state);
    }
    assert.equal(flow.exchanges(), before);
  });

  test("does not get in by the victim's button: the attempt of the attacker is nobody else's", async () => {
    const own = await flow.begin(attackers.member);
    const attempt = expectParked(await flow.arrive(flow.consent(own.authorizationUrl)));
    const before = flow.exchanges();
    expectRefused(await flow.complete(victims.member, attempt), 404, 'integrations.attempt_unknown');
    assert.equal(flow.exchanges(), before);
    assert.equal(await flow.statusOf(victims.member), 'disconnected');
  });
});
