import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cookiesOf, expectConnected, expectParked, expectRefused, startConnectStage } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

type Person = { headers: Record<string, string> };
type Leaked = Person & { id: string };

onOneEngine('a flow that was begun with an access token which has ended', (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  let made = 0;

  /** The member's token has leaked. The team revokes it, and the member has another one. */
  const prepare = async () => {
    const team = await flow.stage.createTeam(`token-ended-${engine}-${++made}`);
    const { server } = flow.stage;
    const payload = { name: 'leaked', expiresInDays: 1 };
    const answer = await server.inject({ method: 'POST', url: '/api/tokens', headers: team.member.headers, payload });
    const { id, token } = answer.json();
    const leaked: Leaked = { id, headers: { authorization: `Bearer ${token}` } };
    const revoke = async () => {
      const url = `/api/tokens/${id}`;
      const revoked = await server.inject({ method: 'DELETE', url, headers: team.admin.headers });
      assert.equal(revoked.statusCode, 204, revoked.body);
    };
    return { ...team, leaked, revoke };
  };

  const pathOf = (address: string): string => {
    const { pathname, search } = new URL(address, 'http://localhost');
    return `${pathname}${search}`;
  };

  const follow = async ({ headers }: Person, provider: string) => {
    const answer = await flow.get(`/api/integrations/${provider}/connect`, headers);
    assert.equal(answer.statusCode, 302, answer.body);
    return { location: String(answer.headers.location), cookie: cookiesOf(answer.headers['set-cookie']) };
  };

  const expectNothing = async (person: Person, before: number) => {
    assert.equal(flow.exchanges(), before, 'A token request was made.');
    assert.equal(await flow.statusOf(person), 'disconnected');
  };

  const expire = ({ id }: Leaked) =>
    flow.stage.app.database.run('update access_tokens set expires_at = $1 where id = $2', [flow.clock.now(), id]);

  for (const how of ['was revoked', 'has expired'] as const)
    test(`connects nothing if the token ${how}, with the cookies of its browser`, async () => {
      const { admin, leaked, revoke } = await prepare();
      const { location, cookie } = await follow(leaked, 'github');
      const begun = [await flow.begin(leaked), { authorizationUrl: location, cookie }];
      await (how === 'was revoked' ? revoke() : expire(leaked));
      const before = flow.exchanges();
      for (const { authorizationUrl, cookie: own } of begun) {
        const arrived = await flow.arrive(flow.consent(authorizationUrl), { cookie: own });
        expectRefused(arrived, 400, 'integrations.state_invalid');
      }
      await expectNothing(admin, before);
    });

  test('cannot be completed if it was parked, or continued through its link', async () => {
    const { admin, member, leaked, revoke } = await prepare();
    const begun = await flow.begin(leaked);
    const attempt = expectParked(await flow.arrive(flow.consent(begun.authorizationUrl)));
    await revoke();
    const before = flow.exchanges();
    expectRefused(await flow.complete(member, attempt), 410, 'integrations.attempt_expired');
    expectRefused(await flow.get(pathOf(begun.connectUrl)), 410, 'integrations.ticket_invalid');
    await expectNothing(admin, before);
  });

  test('stores no key from its form', async () => {
    const { admin, leaked, revoke } = await prepare();
    const { location, cookie } = await follow(leaked, 'brevo');
    const action = pathOf(location);
    assert.equal((await flow.get(action, { cookie })).statusCode, 200);
    await revoke();
    assert.equal((await flow.get(action, { cookie })).statusCode, 400);
    const submitted = await flow.stage.server.inject({
      method: 'POST',
      url: action,
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ 'fields.api_key': 'of-a-stranger' }).toString(),
    });
    assert.equal(submitted.statusCode, 400, submitted.body);
    assert.equal(await flow.statusOf(admin, 'brevo'), 'disconnected');
  });

  test('leaves no connection if the token ends while the provider is being asked', async () => {
    const { admin, leaked, revoke } = await prepare();
    const begun = await flow.begin(leaked);
    const { outbound } = flow.simulator;
    const { request } = outbound;
    let ended = false;
    outbound.request = async (asked) => {
      const answer = await request(asked);
      if (!ended) await revoke();
      ended = true;
      return answer;
    };
    const arrived = await flow
      .arrive(flow.consent(begun.authorizationUrl), { cookie: begun.cookie })
      .finally(() => Object.assign(outbound, { request }));
    assert.equal(ended, true);
    expectRefused(arrived, 400, 'integrations.state_invalid');
    assert.equal(await flow.statusOf(admin), 'disconnected');
  });

  test('does not end what was begun with another token, or what its person goes on with in a session', async () => {
    const { member, leaked, revoke } = await prepare();
    const other = await flow.begin(member);
    const { connectUrl } = await flow.begin(leaked);
    const { cookie } = await openSession(flow.stage, member.user);
    const followed = await flow.get(pathOf(connectUrl), { cookie });
    await revoke();
    expectConnected(await flow.arrive(flow.consent(other.authorizationUrl), { cookie: other.cookie }));
    const binding = cookiesOf(followed.headers['set-cookie']);
    expectConnected(await flow.arrive(flow.consent(String(followed.headers.location)), { cookie: binding }));
  });
});
