import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { PRODUCTION, type Serving } from '../harness/serve-process.ts';
import { openServeStage } from '../harness/serve-stage.ts';
import { startStopwatch } from '../harness/start-stopwatch.ts';
import { waitUntil } from '../harness/wait-until.ts';

const ADMIN_TOKEN = 'an-admin-token-for-the-slow-clients';
const SLOW = 200;
const NORMAL = 200;
const AT_ONCE = 250;
const DRIP_MS = 1_000;

/** As many as the server may have without ending those that have waited longest: half of its open files. */
const countIdle = (): number => {
  const most = Number(execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }));
  return Number.isNaN(most) ? 5_000 : Math.min(5_000, Math.floor(most / 2) - 1_000);
};

const HEAD = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ';
const BODY = `POST /api/tokens HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"name":"`;

type Client = { socket: Socket; heard(): string; shownOut(): boolean };

/** Sends this much and then nothing more on its own. It never hangs up, even after the server has. */
const openClient = async (port: number, text: string): Promise<Client> => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let heard = '';
  let shownOut = false;
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    heard += chunk;
  });
  socket.on('error', () => undefined);
  socket.on('end', () => {
    shownOut = true;
  });
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return { socket, heard: () => heard, shownOut: () => shownOut };
};

/** Asks on a new connection: the server may close one that is kept at the very moment at which it is used again. */
const askNormally = async (serving: Serving): Promise<number> => {
  const readMs = startStopwatch(serving);
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const asked = get({ host: '127.0.0.1', port: serving.port, path: '/api/team', headers, agent: false });
  const [answer]: IncomingMessage[] = await once(asked, 'response');
  assert.equal(answer?.statusCode, 200);
  for await (const _ of answer);
  return readMs();
};

const openClients = async (context: TestContext, serving: Serving, count: number, text: string): Promise<Client[]> => {
  const clients: Client[] = [];
  context.after(() => {
    for (const { socket } of clients) socket.destroy();
  });
  while (clients.length < count) {
    const some = Math.min(AT_ONCE, count - clients.length);
    clients.push(...(await Promise.all(Array.from({ length: some }, () => openClient(serving.port, text)))));
    // The system queues 511 connections that the server hasn't accepted yet, in order, and may reset more than that.
    await askNormally(serving);
  }
  return clients;
};

test('slow clients, and thousands of silent ones, disturb nobody and are disconnected in time', async (context) => {
  const stage = openServeStage(context);
  const serving = await stage.serve({
    ...PRODUCTION,
    PATCHBAY_ADMIN_TOKEN: ADMIN_TOKEN,
    PATCHBAY_DATA: stage.newDirectory(),
  });
  await serving.ready();

  const idle = await openClients(context, serving, countIdle(), '');
  const heads = await openClients(context, serving, SLOW, HEAD);
  const bodies = await openClients(context, serving, SLOW, BODY);
  // The client keeps sending: only a server that has really closed the connection rejects that.
  const drip = setInterval(() => {
    const said = [...heads, ...bodies, ...idle.filter(({ shownOut }) => shownOut())];
    for (const { socket } of said) if (!socket.destroyed) socket.write('a');
  }, DRIP_MS);
  context.after(() => clearInterval(drip));

  // On a busy machine, their time is up before all have asked.
  const allHangOn = () => [...heads, ...bodies].every(({ shownOut }) => !shownOut());
  const took: number[] = [];
  while (took.length < NORMAL && allHangOn())
    took.push(...(await Promise.all(Array.from({ length: 20 }, () => askNormally(serving)))));
  assert.ok(took.length > 0, 'They did not hang on.');
  const slowest = Math.max(...took);
  assert.ok(slowest < 3_000, `The slowest of ${took.length} answers took ${Math.round(slowest)} ms.`);

  const all = { heads, bodies, idle };
  for (const [what, clients] of Object.entries(all)) {
    await waitUntil(
      `the server lets go of them: ${what}`,
      () => clients.every(({ socket }) => socket.destroyed),
      30_000,
    );
  }
  for (const { heard } of heads) assert.match(heard(), /^HTTP\/1\.1 408 .*application\/problem\+json/s);
  for (const { heard } of bodies) assert.match(heard(), /^HTTP\/1\.1 (?:408|503) .*application\/problem\+json/s);
  assert.ok((await askNormally(serving)) < 3_000);
  context.diagnostic(`${idle.length} idle and ${2 * SLOW} slow: the slowest answer took ${Math.round(slowest)} ms`);
});
