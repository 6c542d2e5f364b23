import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { ISSUE, openApprovalsStage } from '../harness/approvals-stage.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a request that has to be approved', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));
  beforeEach(() => stage.api.reset());

  test('waits, is shown as it will be sent, and is sent once when an admin approves', async () => {
    const { token, headers } = await stage.asking();
    const asked = await stage.send(token, 'repos/acme/site/issues?draft=1&connection=default', {
      headers: { 'X-Trace': 'abc' },
    });
    assert.equal(asked.status, 409);
    assert.equal(asked.headers['patchbay-from'], 'patchbay');
    const { approval } = JSON.parse(asked.body);
    assert.match(approval.url, new RegExp(`/approvals/${approval.id}$`));
    assert.equal(Date.parse(approval.expiresAt) - stage.clock.now(), 600_000);
    assert.equal(stage.api.received.length, 0);

    const shown = await stage.approval(approval.id, headers);
    assert.equal(shown.state, 'waiting');
    assert.deepEqual([shown.method, shown.path, shown.query], ['POST', '/repos/acme/site/issues', 'draft=1']);
    assert.deepEqual([shown.provider, shown.connection, shown.host], ['acme-full', 'default', null]);
    assert.deepEqual(shown.body, { encoding: 'utf8', text: ISSUE });
    assert.equal(shown.to, `${stage.api.url}/v1`);

    const approved = await stage.approve(approval.id, headers);
    assert.equal(approved.status, 200, approved.body);
    assert.deepEqual([approved.json.state, approved.json.status], ['sent', 200]);
    assert.match(approved.json.decidedBy.label, /^admin@/);
    const [received, ...others] = stage.api.received;
    assert.deepEqual(others, []);
    assert.deepEqual(
      [received?.method, received?.url, received?.body],
      ['POST', '/v1/repos/acme/site/issues?draft=1', ISSUE],
    );
    assert.match(received?.headers.authorization ?? '', /^Bearer /);
    // Every header that was shown arrived, and no other one but the credential and what belongs to the connection.
    const names = (shown.headers ?? []).map(({ name }) => name.toLowerCase());
    for (const { name, value } of shown.headers ?? []) assert.equal(received?.headers[name.toLowerCase()], value, name);
    const others2 = Object.keys(received?.headers ?? {}).filter((name) => !names.includes(name));
    assert.deepEqual(others2.sort(), ['authorization', 'connection', 'content-length', 'host']);

    const response = await stage.respond(approval.id, token);
    assert.deepEqual([response.status, response.body], [200, '{"ok":true}']);
    assert.equal(response.headers['patchbay-from'], 'provider');
    assert.equal((await stage.approve(approval.id, headers)).json.code, 'approvals.decided');
    assert.equal(stage.api.received.length, 1);
  });
});
