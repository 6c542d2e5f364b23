import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { problemIn, resultOf } from '../harness/agent.ts';
import { CLIENTS, createMemory, throughTo } from '../harness/agent-clients.ts';
import { openPersonBrowser } from '../harness/agent-consent.ts';
import { openApprovalsStage } from '../harness/approvals-stage.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('an agent whose person only pastes the address', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));
  beforeEach(() => stage.api.reset());

  for (const [which, open] of Object.entries(CLIENTS))
    test(`with the ${which} client authorizes, reads, asks, refreshes, and is ended`, async (context) => {
      const { headers, admin } = await stage.connected();
      const { cookie } = await openSession(stage, admin.user);
      const person = openPersonBrowser(cookie, { send: throughTo(stage.port) });
      const memory = createMemory();

      const first = await open(stage.port, memory);
      await assert.rejects(first.connect(), /[Uu]nauthorized/);
      assert.ok(memory.asked, 'It sends the person to a page.');
      const back = await person.decide(memory.asked, {
        place: 'acme-full:default',
        writes: 'ask',
        can: 'status',
        days: '7',
      });
      assert.deepEqual([back.origin, back.pathname], ['http://127.0.0.1:33418', '/callback']);
      assert.equal(back.searchParams.get('state'), 'state-of-the-client');
      assert.equal(back.searchParams.get('iss'), 'http://localhost:3000');
      await first.finish(back.searchParams.get('code') ?? '', back.searchParams.get('iss'));
      assert.match(memory.held?.access_token ?? '', /^pba_[\w-]{43}$/);

      const agent = await open(stage.port, memory);
      await agent.connect();
      context.after(() => agent.close());
      assert.deepEqual(await agent.listTools(), ['find_providers', 'list_connections', 'call_api', 'get_approval']);
      const read = await agent.call('call_api', { provider: 'acme-full', path: '/things' });
      assert.equal(resultOf(read)['status'], 200);
      const asked = problemIn(await agent.call('call_api', { provider: 'acme-full', method: 'POST', path: '/things' }));
      assert.equal(asked.code, 'tokens.approval_needed');
      assert.equal((await stage.approve(asked.approval.id, headers)).json.state, 'sent');
      assert.equal(resultOf(await agent.call('get_approval', { id: asked.approval.id }))['state'], 'sent');

      const { tokens } = (await stage.ask('GET', '/api/tokens', headers)).json;
      const grant = tokens.find(({ client }: { client: string | null }) => client !== null);
      assert.deepEqual([grant.name, grant.client, grant.writes], ['Test agent', '127.0.0.1:33418', 'ask']);
      const elsewhere = await stage.ask('GET', '/api/integrations/status', {
        authorization: `Bearer ${memory.held?.access_token}`,
      });
      assert.equal(elsewhere.status, 401, 'It works at /mcp alone.');

      // The access token is forgotten, so that the client has to refresh.
      const before = memory.held?.refresh_token;
      Object.assign(memory.held ?? {}, { access_token: 'pba_gone' });
      assert.equal((await agent.listTools()).length, 4);
      assert.notEqual(memory.tokens()?.refresh_token, before);
      assert.match(memory.tokens()?.access_token ?? '', /^pba_[\w-]{43}$/);

      const ended = await stage.server.inject({ method: 'DELETE', url: `/api/tokens/${grant.id}`, headers });
      assert.equal(ended.statusCode, 204);
      memory.asked = null;
      await assert.rejects(agent.listTools());
      assert.ok(memory.asked, 'Nothing is left that it could refresh, so it asks the person again.');
    });
});
