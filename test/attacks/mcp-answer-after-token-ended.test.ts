// Attack: an agent waits for a provider that responds slowly, until its token was revoked or the account disconnected.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { openApprovalsStage } from '../harness/approvals-stage.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

const SECRET = 'what-the-provider-said-later';

onOneEngine('an agent that waits for a provider', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));

  const open = async () => {
    const team = await stage.asking({}, { methods: ['GET', 'POST'] });
    const arrived = Promise.withResolvers<ServerResponse>();
    stage.api.answer((_incoming, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).write('first ');
      arrived.resolve(response);
    });
    const abandoned = new AbortController();
    const running = fetch(`http://127.0.0.1:${stage.port}/mcp`, {
      method: 'POST',
      headers: {
        ...team.token,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'call_api', arguments: { provider: 'acme-full', path: '/stream' } },
      }),
      signal: abandoned.signal,
    });
    const early = running.then(({ status }) => status);
    early.catch(() => undefined);
    const response = await Promise.race([arrived.promise, early]);
    assert.equal(typeof response, 'object', `It was answered with ${response}.`);
    return { team, running, response: response as ServerResponse };
  };

  const revoke = async (headers: Record<string, string>) => {
    const { tokens } = (await stage.server.inject({ url: '/api/tokens', headers })).json();
    const agent = tokens.find(({ name }: { name: string }) => name === 'agent');
    const url = `/api/tokens/${agent.id}`;
    assert.equal((await stage.server.inject({ method: 'DELETE', url, headers })).statusCode, 204);
  };

  for (const [how, end] of [
    ['the token was revoked', revoke],
    [
      'the account was disconnected',
      async (headers: Record<string, string>) => {
        const url = '/api/integrations/acme-full/disconnect';
        const answer = await stage.server.inject({ method: 'POST', url, headers });
        assert.equal(answer.statusCode, 200, answer.body);
      },
    ],
  ] as const)
    test(`gets nothing that the provider says after ${how}`, async () => {
      const { team, running, response } = await open();
      await end(team.headers);
      response.end(SECRET);
      const text = await running.then((answer) => answer.text()).catch((error) => String(error));
      stage.api.reset();
      assert.ok(!text.includes(SECRET), text);
    });
});
