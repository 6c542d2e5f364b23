import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { findFreePort } from '../harness/free-port.ts';
import { runCommand } from '../harness/run-command.ts';
import { PRODUCTION, type Serving } from '../harness/serve-process.ts';
import { openServeStage } from '../harness/serve-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const ADMIN_TOKEN = 'an-admin-token-for-the-lifecycle-tests';
const SETTINGS = { ...PRODUCTION, PATCHBAY_ADMIN_TOKEN: ADMIN_TOKEN };
const asAdmin = { authorization: `Bearer ${ADMIN_TOKEN}` };

const postHead = (length: number): string =>
  `POST /api/tokens HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

const isStopping = (serving: Serving) => () => serving.output.stdout.includes('"msg":"stopping"');

/** What has begun gets ten seconds. In such a process they pass when the test says so. */
const WITH_MOVED_DRAIN = { nodeArguments: ['--import', import.meta.resolve('../harness/pass-drain.child.ts')] };

/** Far less than ten seconds. */
const SOON_MS = 8_000;

/** Sends SIGTERM, and lets ten seconds pass in a process that is waiting for them. */
const passDrain = async (serving: Serving): Promise<void> => {
  serving.kill('SIGTERM');
  await waitUntil('it stops', isStopping(serving));
  assert.ok(serving.isRunning(), 'It waits.');
  serving.kill('SIGUSR2');
};

/** Gets its response after everything sent before it was read. */
const expectAlive = async (serving: Serving) => assert.equal((await serving.fetch('/healthz')).status, 200);

describe('a data directory', { concurrency: 2 }, () => {
  test('is served by one process: a second one says so in one line, and the first continues', async (context) => {
    const stage = openServeStage(context);
    const env = { ...SETTINGS, PATCHBAY_DATA: stage.newDirectory() };
    const first = await stage.serve(env);
    await first.ready();
    const second = await stage.serve(env);
    assert.equal((await second.ended()).code, 1);
    assert.equal(second.errorLines().length, 1, second.output.stderr);
    assert.match(second.output.stderr, new RegExp(`Process ${first.pid}\\b.*PATCHBAY_DATA`));
    assert.equal((await first.fetch('/api/team', { headers: asAdmin })).status, 200);
  });

  test('is taken over immediately from a killed process, with everything in it', async (context) => {
    const stage = openServeStage(context);
    const env = { ...SETTINGS, PATCHBAY_DATA: stage.newDirectory() };
    const first = await stage.serve(env);
    await first.ready();
    const made = await first.fetch('/api/tokens', {
      method: 'POST',
      headers: { ...asAdmin, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'before the kill' }),
    });
    const { token } = (await made.json()) as { token: string };
    await first.end('SIGKILL');
    const second = await stage.serve(env);
    await second.ready();
    assert.equal((await second.fetch('/api/team', { headers: { authorization: `Bearer ${token}` } })).status, 200);
  });

  test('of a service that is paused is served, and startup says that it is paused and how to end it', async (context) => {
    const stage = openServeStage(context);
    const env = { ...SETTINGS, PATCHBAY_DATA: stage.newDirectory() };
    for (const args of [['migrate'], ['pause', '--reason', 'Moving out.']])
      assert.equal((await runCommand(args, env)).code, 0);
    const serving = await stage.serve(env);
    await serving.ready();
    await waitUntil('it is said', () => /^It is paused\. Moving out\. .*resume/m.test(serving.output.stdout));
    assert.match(serving.output.stdout, /"level":"warn".*"reason":"Moving out\.".*the service is paused/);
  });

  test('is left alone by a process whose port is taken, which says so in one line', async (context) => {
    const stage = openServeStage(context);
    const first = await stage.serve({ ...SETTINGS, PATCHBAY_DATA: stage.newDirectory() });
    await first.ready();
    const second = stage.run({ ...SETTINGS, PATCHBAY_DATA: stage.newDirectory(), PORT: String(first.port) });
    assert.equal((await second.ended()).code, 1);
    assert.deepEqual(second.errorLines(), [
      `Port ${first.port} is already in use. Stop the program that is using it, or set PORT to another one.`,
    ]);
  });
});

describe('SIGTERM', { concurrency: 4 }, () => {
  test('lets the current request finish, accepts no new one and exits with 0', async (context) => {
    const stage = openServeStage(context);
    const serving = await stage.serve({ ...SETTINGS, PATCHBAY_DATA: stage.newDirectory() });
    await serving.ready();
    const body = '{"name":"under way"}';
    const client = await stage.connect(serving.port, postHead(body.length) + body.slice(0, 5));
    await expectAlive(serving);
    serving.kill('SIGTERM');
    await waitUntil('it stops', isStopping(serving));
    await assert.rejects(serving.fetch('/healthz'), 'A new connection is refused.');
    client.say(body.slice(5));
    // The client keeps its connection, as proxies do.
    const { code, tookMs } = await serving.ended();
    assert.match(client.heard(), /^HTTP\/1\.1 201 /);
    assert.match(client.heard(), /"name":"under way"/);
    assert.equal(code, 0);
    assert.match(serving.output.stdout, /"msg":"stopping"}\n.*"msg":"stopped"}\n$/s);
    assert.ok(tookMs < 15_000, `It took ${Math.round(tookMs)} ms.`);
  });

  test('ends the process immediately if connections are merely kept open', async (context) => {
    const stage = openServeStage(context);
    const serving = await stage.serve({ ...SETTINGS, PATCHBAY_DATA: stage.newDirectory() });
    await serving.ready();
    const client = await stage.connect(serving.port, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await waitUntil('it is answered', () => client.heard().includes('"ok"'));
    serving.kill('SIGTERM');
    const { code, tookMs } = await serving.ended();
    assert.equal(code, 0);
    assert.ok(tookMs < 8_000, `It took ${Math.round(tookMs)} ms.`);
  });

  test('ends the process after ten seconds even if clients never finish what they started', async (context) => {
    const stage = openServeStage(context);
    const serving = await stage.serve({ ...SETTINGS, PATCHBAY_DATA: stage.newDirectory() }, WITH_MOVED_DRAIN);
    await serving.ready();
    await stage.connect(serving.port, 'GET /healthz HTTP/1.1\r\nHost: loc');
    await stage.connect(serving.port, `${postHead(99)}{`);
    await expectAlive(serving);
    await passDrain(serving);
    assert.equal((await serving.ended(SOON_MS)).code, 0);
  });

  test("ends the process although somebody it has asked doesn't respond", async (context) => {
    const stage = openServeStage(context);
    const slack = createServer(() => undefined).listen(0, '127.0.0.1');
    context.after(() => {
      slack.close();
      slack.closeAllConnections();
    });
    await once(slack, 'listening');
    const env = { ...SETTINGS, NODE_ENV: 'test', PATCHBAY_DATA: stage.newDirectory() };
    const serving = await stage.serve(env, WITH_MOVED_DRAIN);
    await serving.ready();
    const url = `http://127.0.0.1:${(slack.address() as AddressInfo).port}/services/x`;
    const body = JSON.stringify({ url });
    const headers = { ...asAdmin, 'content-type': 'application/json' };
    assert.equal((await serving.fetch('/api/reports/slack', { method: 'PUT', headers, body })).status, 200);
    // Whoever asked for it leaves, but it goes on.
    const leaving = new AbortController();
    const asked = once(slack, 'request');
    const test = serving.fetch('/api/reports/slack/test', { method: 'POST', headers: asAdmin, signal: leaving.signal });
    await asked;
    leaving.abort();
    await assert.rejects(test);
    // What has begun gets ten seconds, and no more.
    await passDrain(serving);
    assert.equal((await serving.ended(SOON_MS)).code, 0);
  });

  test('ends a process that is still waiting for its database', async (context) => {
    const stage = openServeStage(context);
    const nowhere = `postgresql://postgres@127.0.0.1:${await findFreePort()}/postgres`;
    const serving = await stage.serve({ ...SETTINGS, PATCHBAY_DATA: stage.newDirectory(), DATABASE_URL: nowhere });
    await waitUntil('it is alive', async () => (await serving.fetch('/healthz').catch(() => null))?.status === 200);
    serving.kill('SIGTERM');
    const { code, tookMs } = await serving.ended();
    assert.equal(code, 0);
    assert.ok(tookMs < 8_000, `It took ${Math.round(tookMs)} ms.`);
  });
});
