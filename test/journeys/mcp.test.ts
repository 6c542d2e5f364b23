import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { problemIn, resultOf } from '../harness/agent.ts';
import { type ApprovalsStage, openApprovalsStage } from '../harness/approvals-stage.ts';
import { onEachEngine } from '../harness/databases.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { useStage } from '../harness/use-stage.ts';

type Headers = Record<string, string>;
type Result = { content?: unknown; structuredContent?: unknown; isError?: boolean };
type Agent = {
  listTools(): Promise<string[]>;
  call(name: string, args?: Record<string, unknown>): Promise<Result>;
  close(): Promise<void>;
};

const info = { name: 'test-agent', version: '1.0.0' };

/** The official client, which speaks the current revision, and the older one before it. */
const CLIENTS: Record<string, (stage: ApprovalsStage, headers: Headers) => Promise<Agent>> = {
  'the official client': async (stage, headers) => {
    const client = new Client(info);
    const url = new URL(`http://127.0.0.1:${stage.port}/mcp`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return {
      listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as Result,
      close: () => client.close(),
    };
  },
  'the older client': async (stage, headers) => {
    const client = new OlderClient(info);
    const url = new URL(`http://127.0.0.1:${stage.port}/mcp`);
    await client.connect(new OlderTransport(url, { requestInit: { headers } }) as never);
    return {
      listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as Result,
      close: () => client.close(),
    };
  },
};

onEachEngine('an agent', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));
  beforeEach(() => stage.api.reset());

  for (const [which, connect] of Object.entries(CLIENTS))
    test(`with ${which} lists, reads, asks, and gets what was approved`, async (context) => {
      const { token, headers } = await stage.asking({ can: ['status'] });
      const agent = await connect(stage, token);
      context.after(() => agent.close());
      assert.deepEqual(await agent.listTools(), ['find_providers', 'list_connections', 'call_api', 'get_approval']);

      const { connections } = resultOf(await agent.call('list_connections')) as never as {
        connections: { provider: string; status: string }[];
      };
      assert.deepEqual(
        connections.map(({ provider, status }) => [provider, status]),
        [['acme-full', 'connected']],
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
