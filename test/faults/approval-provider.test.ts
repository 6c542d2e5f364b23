import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { openApprovalsStage } from '../harness/approvals-stage.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MIB = 1024 * 1024;

onOneEngine('an approved request and its provider', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));
  beforeEach(() => stage.api.reset());

  test('is not repeated after a 401, whose response the token gets', async () => {
    const { token, headers } = await stage.asking();
    const id = await stage.park(token);
    stage.clock.advance(120_000);
    stage.api.answer(async (incoming, response) => {
      await stage.api.note(incoming);
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"Bad credentials"}');
    });
    const { json } = await stage.approve(id, headers);
    assert.deepEqual([json.state, json.status], ['sent', 401]);
    assert.equal(stage.api.received.length, 1);
    assert.deepEqual(await stage.respond(id, token).then(({ status, body }) => [status, body]), [
      401,
      '{"message":"Bad credentials"}',
    ]);
  });

  test('is unclear if the connection breaks before an answer, and is not repeated, not even a PUT', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { token, headers } = await stage.asking();
      stage.api.reset();
      stage.api.answer(async (incoming) => {
        await stage.api.note(incoming);
        incoming.socket.destroy();
      });
      const id = await stage.park(token, 'things', method === 'DELETE' ? { method, body: '' } : { method });
      const { json } = await stage.approve(id, headers);
      assert.equal(json.state, 'unclear', method);
      assert.match(json.problem, /may or may not/);
      assert.equal(stage.api.received.length, 1, method);
      assert.equal((await stage.respond(id, token)).json.code, 'approvals.no_response');
    }
  });

  test('has failed if the provider could not be reached at all', async () => {
    const { token, headers } = await stage.asking();
    const id = await stage.park(token);
    const { port } = stage.api.server.address() as { port: number };
    stage.api.server.closeAllConnections();
    await new Promise((resolve) => stage.api.server.close(resolve));
    try {
      const { json } = await stage.approve(id, headers);
      assert.equal(json.state, 'failed');
      assert.match(json.problem, /couldn't be reached/);
    } finally {
      await new Promise<void>((resolve) => stage.api.server.listen(port, '127.0.0.1', resolve));
    }
    assert.equal((await stage.approve(id, headers)).json.code, 'approvals.decided');
  });

  test('keeps the first megabyte of a response without an end, and says so', async () => {
    const { token, headers } = await stage.asking();
    const id = await stage.park(token);
    let isClosed = false;
    stage.api.answer((incoming, response) => {
      incoming.resume();
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': String(10_000_000_000) });
      response.on('close', () => {
        isClosed = true;
      });
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
      };
      response.on('drain', more);
      more();
    });
    assert.equal((await stage.approve(id, headers)).json.state, 'sent');
    const { status, headers: got, body } = await stage.respond(id, token);
    assert.deepEqual(
      [status, body.length, got['patchbay-cut'], got['content-length']],
      [200, MIB, 'true', String(MIB)],
    );
    await waitUntil('the rest is called off', () => isClosed);
  });

  test('is shown as sending after ten seconds, and as unclear once its provider has been silent for too long', async () => {
    const { token, headers } = await stage.asking();
    const id = await stage.park(token);
    stage.api.answer(async (incoming) => {
      await stage.api.note(incoming);
    });
    const { json } = await stage.approve(id, headers);
    assert.equal(json.state, 'sending');
    assert.equal((await stage.respond(id, token)).json.code, 'approvals.no_response_yet');
    stage.api.server.closeAllConnections();
    await waitUntil('it is known', async () => (await stage.approval(id, headers)).state === 'unclear');
    assert.equal(stage.api.received.length, 1);
  });

  test('is kept for an hour, and then gone', async () => {
    const { token, headers } = await stage.asking({ expiresInDays: 2 });
    const id = await stage.park(token);
    await stage.approve(id, headers);
    stage.clock.advance(3_600_000 - 1_000);
    assert.equal((await stage.respond(id, token)).status, 200);
    stage.clock.advance(1_000);
    const answer = await stage.respond(id, token);
    assert.deepEqual([answer.status, answer.json.code], [410, 'approvals.response_erased']);
  });

  test('leads back to the proxy with the links in its response', async () => {
    const { token, headers } = await stage.asking();
    const id = await stage.park(token);
    stage.api.answer((incoming, response) => {
      incoming.resume();
      response.writeHead(201, { location: `${stage.api.url}/v1/things/7`, 'set-cookie': 'a=b' }).end();
    });
    await stage.approve(id, headers);
    const { headers: got } = await stage.respond(id, token);
    assert.match(String(got['location']), /\/api\/integrations\/acme-full\/proxy\/things\/7/);
    assert.equal(got['set-cookie'], undefined);
  });
});
