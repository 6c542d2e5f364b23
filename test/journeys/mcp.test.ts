import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { connectAgent, problemIn, resultOf } from '../harness/agent.ts';
import { CLIENTS } from '../harness/agent-clients.ts';
import { openApprovalsStage } from '../harness/approvals-stage.ts';
import { asCustomer, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { askInjected, createTeamMember } from '../harness/team-member.ts';
import { useStage } from '../harness/use-stage.ts';

type Headers = Record<string, string>;

onOneEngine('an agent', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));
  beforeEach(() => stage.api.reset());

  for (const [which, open] of Object.entries(CLIENTS))
    test(`with the ${which} client lists, reads, asks, and gets what was approved`, async (context) => {
      const { token, headers } = await stage.asking({ can: ['status'] });
      const agent = await open(stage.port, { authorization: token['authorization'] ?? '' });
      await agent.connect();
      context.after(() => agent.close());
      assert.deepEqual(await agent.listTools(), ['find_providers', 'list_connections', 'call_api', 'get_approval']);

      const { connections } = resultOf(await agent.call('list_connections')) as never as {
        connections: { provider: string; status: string; eventsToday: number }[];
      };
      assert.deepEqual(
        connections.map(({ provider, status, eventsToday }) => [provider, status, eventsToday]),
        [['acme-full', 'connected', 0]],
      );

      const read = await agent.call('call_api', { provider: 'acme-full', path: '/things', query: { q: 'a b' } });
      assert.deepEqual([resultOf(read)['status'], resultOf(read)['body']], [200, { ok: true }]);
      const [got] = stage.api.received;
      assert.deepEqual([got?.method, got?.url], ['GET', '/v1/things?q=a+b']);
      assert.match(got?.headers.authorization ?? '', /^Bearer /);
      assert.doesNotMatch(JSON.stringify(read), new RegExp(got?.headers.authorization?.slice(7) ?? ''));

      const write = { provider: 'acme-full', method: 'POST', path: '/things', body: { title: 'x' } };
      const asked = problemIn(await agent.call('call_api', write));
      assert.equal(asked.code, 'tokens.approval_needed');
      assert.match(asked.next, /get_approval/);
      const { id, url } = asked.approval;
      assert.match(url, new RegExp(`/approvals/${id}$`));
      assert.equal(resultOf(await agent.call('get_approval', { id }))['state'], 'waiting');
      assert.equal(stage.api.received.length, 1);
      assert.equal((await stage.approve(id, headers)).json.state, 'sent');
      const { state, response } = resultOf(await agent.call('get_approval', { id })) as never as {
        state: string;
        response: { status: number; body: unknown };
      };
      assert.deepEqual([state, response.status, response.body], ['sent', 200, { ok: true }]);
      assert.equal(stage.api.received.length, 2);
      assert.equal(stage.api.received[1]?.body, '{"title":"x"}');

      const elsewhere = problemIn(await agent.call('call_api', { provider: 'github', path: '/user' }));
      assert.equal(elsewhere.code, 'tokens.not_allowed');
    });

  test("of a customer's user works with a token that the operator made, and asks the operator", async (context) => {
    await putCustomer(stage, 'of-agents');
    const { headers } = asCustomer('of-agents', 'user-7');
    await createTeamMember(askInjected(stage.server), headers, stage.oauth).connect('acme-full', stage.newAccount());
    const made = await makeToken(stage.server, headers, { allow: [{ provider: 'acme-full' }], writes: 'ask' });
    const agent = await connectAgent(stage.port, made);
    context.after(agent.close);
    const { connections } = resultOf<{ connections: unknown[] }>(await agent.call('list_connections'));
    assert.equal(connections.length, 1);
    assert.equal(resultOf(await agent.call('call_api', { provider: 'acme-full', path: '/things' }))['status'], 200);
    const write = { provider: 'acme-full', method: 'POST', path: '/things' };
    const { approval } = problemIn(await agent.call('call_api', write));
    assert.equal((await stage.approve(approval.id, asCustomer('of-agents').headers)).json.state, 'sent');
    assert.equal(resultOf(await agent.call('get_approval', { id: approval.id }))['state'], 'sent');
  });

  test('is refused without a restricted token, and told where to get one', async () => {
    const { headers } = await stage.newTeam().then(({ admin }) => admin);
    const send = (given: Headers) =>
      stage.server.inject({
        method: 'POST',
        url: '/mcp',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...given },
        payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      });
    const stranger = await send({});
    assert.equal(stranger.statusCode, 401);
    assert.match(
      String(stranger.headers['www-authenticate']),
      /^Bearer .*resource_metadata="http:\/\/localhost:\d+\/\.well-known\/oauth-protected-resource\/mcp", scope="mcp"$/,
    );
    const whole = await send(headers);
    assert.deepEqual([whole.statusCode, whole.json().code], [403, 'mcp.restricted_token_needed']);
    const restricted = await makeToken(stage.server, headers, { can: [] });
    const foreign = await send({ ...restricted, origin: 'https://evil.example' });
    assert.deepEqual([foreign.statusCode, foreign.json().code], [403, 'mcp.origin_refused']);
    assert.equal((await send(restricted)).statusCode, 200);
  });
});
