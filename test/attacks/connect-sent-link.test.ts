import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cookiesOf, expectConnected, expectParked, JSON_ONLY, startConnectStage } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

onOneEngine('a connect link sent to someone else', (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  const attackers = prepare(() => flow.stage.createTeam('attackers'));
  const victims = prepare(() => flow.stage.createTeam('victims'));

  /** Follows the link as a browser does, to the callback and with every cookie that was set on the way. */
  const follow = async (link: string, headers: Record<string, string> = {}) => {
    const { pathname, search } = new URL(link);
    const sent = await flow.get(`${pathname}${search}`, headers);
    assert.equal(sent.statusCode, 302, sent.body);
    const back = flow.consent(String(sent.headers.location));
    const set = cookiesOf(sent.headers['set-cookie']);
    const cookie = [headers['cookie'], set].filter(Boolean).join('; ');
    const before = flow.exchanges();
    const arrived = await flow.arrive(back, { ...headers, ...JSON_ONLY, ...(cookie ? { cookie } : {}) });
    return { arrived, set, made: flow.exchanges() - before };
  };

  const makeLink = async (): Promise<string> => (await flow.begin(attackers.member)).connectUrl;

  test('is parked in a browser where nobody is signed in, because the link proves nothing', async () => {
    const { arrived, set, made } = await follow(await makeLink());
    expectParked(arrived);
    assert.equal(set, '', 'a binding cookie was set for a stranger');
    assert.equal(made, 0);
  });

  test('is parked in a browser where someone else is signed in, and remains its creator’s flow', async () => {
    for (const person of [victims.member, victims.admin, attackers.admin]) {
      const { headers } = await openSession(flow.stage, person.user);
      const { arrived, set, made } = await follow(await makeLink(), headers);
      expectParked(arrived);
      assert.equal(set, '');
      assert.equal(made, 0);
    }
    assert.equal(await flow.statusOf(victims.member), 'disconnected');
    assert.equal(await flow.statusOf(attackers.member), 'disconnected');
  });

  test('is parked for a browser that holds its own binding cookie', async () => {
    const { cookie } = await flow.begin(victims.member);
    const { arrived, made } = await follow(await makeLink(), { cookie });
    expectParked(arrived);
    assert.equal(made, 0);
  });

  test('is canceled if the victim presses the button, thinking it is theirs', async () => {
    const before = flow.exchanges();
    const attempt = expectParked((await follow(await makeLink())).arrived);
    assert.equal((await flow.complete(victims.member, attempt)).statusCode, 404);
    assert.equal((await flow.complete(attackers.member, attempt)).statusCode, 409);
    assert.equal(flow.exchanges(), before);
  });

  test('works for the user it was made for, when signed in', async () => {
    const { headers } = await openSession(flow.stage, attackers.member.user);
    const { arrived, made } = await follow(await makeLink(), headers);
    expectConnected(arrived);
    assert.equal(made, 1);
  });
});
