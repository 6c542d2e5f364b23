// Attack: an admin whose rights are taken away while their agent's request is on its way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { letIn } from '../harness/agent-grant.ts';
import { openApprovalsStage } from '../harness/approvals-stage.ts';
import { onEachEngine } from '../harness/databases.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('an agent whose person is no admin any more', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));

  for (const how of ['made by hand', 'granted'] as const)
    test(`sends nothing with a token ${how}, even if it waited for the credential when that happened`, async () => {
      stage.api.reset();
      const { client, code, admin, member, team, headers } = await letIn(stage);
      const change = (id: string, role: string, by: Record<string, string>) =>
        stage.server.inject({ method: 'PATCH', url: `/api/members/${id}`, headers: by, payload: { role } });
      assert.equal((await change(member.user.id, 'admin', headers)).statusCode, 200);
      const allow = [{ provider: 'acme-full', connection: 'default', methods: ['GET', 'POST'] }];
      const token =
        how === 'granted'
          ? { authorization: `Bearer ${(await client.redeem(code)).json.access_token}` }
          : await makeToken(stage.server, headers, { allow });
      await stage.app.database.run('update connections set refresh_due_at = $1, expires_at = $1 where team_id = $2', [
        stage.clock.now() - 1,
        team.id,
      ]);
      const held = stage.oauth.hold('refresh', 'after');
      const running = stage.server.inject({
        method: 'POST',
        url: '/mcp',
        headers: { ...token, accept: 'application/json, text/event-stream' },
        payload: {
          ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
          params: { name: 'call_api', arguments: { provider: 'acme-full', path: '/things' } },
        },
      });
      await Promise.race([held.arrived, running]);
      const demoted = await change(admin.user.id, 'member', member.headers);
      held.release();
      assert.equal(demoted.statusCode, 200, demoted.body);
      assert.match((await running).body, /http\.admin_only/);
      assert.deepEqual(stage.api.received, []);
      stage.oauth.mend();
    });
});
