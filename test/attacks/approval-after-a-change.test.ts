import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { openApprovalsStage } from '../harness/approvals-stage.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

const PROVIDER = 'acme-full';

onOneEngine('an approval of something that has changed', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));
  beforeEach(() => stage.api.reset());

  /** Approves the request, which must not be sent. */
  const expectRefused = async (id: string, headers: Record<string, string>, problem: RegExp): Promise<void> => {
    const { status, json, body } = await stage.approve(id, headers);
    assert.equal(status, 200, body);
    assert.equal(json.state, 'refused');
    assert.match(json.problem, problem);
    assert.deepEqual(stage.api.received, []);
    assert.equal((await stage.approve(id, headers)).json.code, 'approvals.decided');
  };

  test('is not sent to another account that was connected under the same name', async () => {
    const { token, headers, at } = await stage.asking();
    const id = await stage.park(token);
    await at.connect(PROVIDER, stage.newAccount());
    await expectRefused(id, headers, /another account/);
  });

  test('is not sent with a connection that was removed, nor with a new one for the same account', async () => {
    const { token, headers, at } = await stage.asking();
    const account = (await at.status(PROVIDER)).account?.id ?? '';
    const [first, second] = [await stage.park(token), await stage.park(token)];
    await at.disconnect(PROVIDER);
    await expectRefused(first, headers, /removed/);
    await at.connect(PROVIDER, account);
    await expectRefused(second, headers, /removed/);
  });

  test('is sent after the same account was connected again, with the new credential', async () => {
    const { token, headers, at } = await stage.asking();
    const account = (await at.status(PROVIDER)).account?.id ?? '';
    const id = await stage.park(token);
    await at.connect(PROVIDER, account);
    assert.equal((await stage.approve(id, headers)).json.state, 'sent');
    assert.equal(stage.api.received[0]?.headers.authorization, `Bearer ${await at.token(PROVIDER)}`);
  });

  test('is not sent once its token was revoked: it is gone', async () => {
    const { token, headers } = await stage.asking();
    const id = await stage.park(token);
    const { tokens } = (await stage.ask('GET', '/api/tokens', headers)).json;
    const made = tokens.find(({ name }: { name: string }) => name === 'agent');
    await stage.server.inject({ method: 'DELETE', url: `/api/tokens/${made.id}`, headers });
    const answer = await stage.approve(id, headers);
    assert.deepEqual([answer.status, answer.json.code], [404, 'approvals.unknown']);
    assert.deepEqual(stage.api.received, []);
    await stage.app.integrations.approvals.doDue();
    const left = await stage.app.database.get('select state from approvals where id = $1', [id]);
    assert.deepEqual({ ...left }, { state: 'refused' });
  });

  test('is not sent once its maker is no longer an admin, or was removed', async () => {
    const { token, admin, member, headers } = await stage.asking();
    const first = await stage.park(token);
    const second = await stage.park(token);
    const change = (id: string, payload: object) =>
      stage.server.inject({ method: 'PATCH', url: `/api/members/${id}`, headers, payload });
    assert.equal((await change(member.user.id, { role: 'admin' })).statusCode, 200);
    await stage.ask('GET', '/api/team', member.headers);
    const demoted = await stage.server.inject({
      ...{ method: 'PATCH', url: `/api/members/${admin.user.id}` },
      ...{ headers: member.headers, payload: { role: 'member' } },
    });
    assert.equal(demoted.statusCode, 200, demoted.body);
    await expectRefused(first, member.headers, /no longer an admin/);
    const removed = await stage.server.inject({
      method: 'DELETE',
      url: `/api/members/${admin.user.id}`,
      headers: member.headers,
    });
    assert.equal(removed.statusCode, 204, removed.body);
    assert.equal((await stage.approve(second, member.headers)).json.code, 'approvals.unknown');
    assert.deepEqual(stage.api.received, []);
  });

  test('is not sent to another address of the API', async () => {
    const { token, headers } = await stage.asking();
    const id = await stage.park(token);
    await stage.app.database.run('update approvals set origin = $2 where id = $1', [id, `${stage.api.url}/v2`]);
    await expectRefused(id, headers, /address/);
  });

  test('expires with its time, and no later than its token', async () => {
    const { token, headers } = await stage.asking({ approvalMinutes: 1_440, expiresInMinutes: 30 });
    const answer = JSON.parse((await stage.send(token)).body);
    assert.equal(Date.parse(answer.approval.expiresAt) - stage.clock.now(), 30 * 60_000);
    const { token: quick, headers: admin } = await stage.asking({ approvalMinutes: 1 });
    const id = await stage.park(quick);
    stage.clock.advance(59_999);
    assert.equal((await stage.approval(id, admin)).state, 'waiting');
    stage.clock.advance(1);
    assert.equal((await stage.approval(id, admin)).state, 'expired');
    const late = await stage.approve(id, admin);
    assert.deepEqual([late.status, late.json.code], [409, 'approvals.decided']);
    assert.match(late.json.detail, /expired/);
    assert.deepEqual(stage.api.received, []);
    assert.ok(headers);
  });
});
