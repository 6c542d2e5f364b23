// Attack: a client goes on rotating the refresh token of a grant that is stopped.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { letIn, listTools } from '../harness/agent-grant.ts';
import { openApprovalsStage } from '../harness/approvals-stage.ts';
import { onEachEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('a stopped grant of an agent', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));

  const stop = async (headers: Record<string, string>, token: string): Promise<string> => {
    const url = '/api/containments';
    const payload = { reason: 'stolen', token };
    const begun = await stage.server.inject({ method: 'POST', url, headers, payload });
    assert.equal(begun.statusCode, 201, begun.body);
    return `${url}/${begun.json().id}`;
  };

  const countIssued = async (grantId: string): Promise<number> => {
    const sql = 'select count(*) as n from agent_issued where grant_id = $1';
    return (await stage.app.database.get<{ n: number }>(sql, [grantId]))?.n ?? 0;
  };

  test('gets nothing new, and its refresh token works again once that is lifted', async () => {
    const { client, code, headers, grant } = await letIn(stage);
    const { refresh_token: first } = (await client.redeem(code)).json;
    const { refresh_token: refresh } = (await client.refresh(first)).json;
    const path = await stop(headers, grant.id);
    const issued = await countIssued(grant.id);
    const refused = await client.refresh(refresh);
    assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_grant']);
    assert.equal(await countIssued(grant.id), issued);
    stage.clock.advance(60_000);
    assert.equal((await stage.server.inject({ method: 'DELETE', url: path, headers })).statusCode, 200);
    const again = await client.refresh(refresh);
    assert.equal(again.status, 200, JSON.stringify(again.json));
    assert.equal(await listTools(stage.server, again.json.access_token), 200);
  });

  test('gets nothing for a code either', async () => {
    const { client, code, headers, grant } = await letIn(stage);
    await stop(headers, grant.id);
    const refused = await client.redeem(code);
    assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_grant']);
  });

  test('can be given back by the client', async () => {
    const { client, code, headers, grant } = await letIn(stage);
    const { refresh_token: refresh } = (await client.redeem(code)).json;
    await stop(headers, grant.id);
    assert.equal((await client.revoke(refresh)).status, 200);
    assert.equal(await countIssued(grant.id), 0);
  });
});
