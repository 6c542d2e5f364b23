import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { callerOf, type Routes, routeOptions } from '../../src/http/index.ts';
import { createTestApp, createTestClock, type Person } from '../harness/app.ts';
import { listenOnLoopback } from '../harness/raw-http.ts';
import { skipAhead } from '../harness/skip-ahead.ts';
import { standStill } from '../harness/stand-still.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** The default. */
const PER_MINUTE = 6_000;
const [AT_ONCE, BURST, PACED] = [8, PER_MINUTE / 30, PER_MINUTE / 60];
const MANY = 150;
/** Whoever has waited longer is looked up again. */
const STALE_MS = 20;

describe('a member with very many requests at once', () => {
  /** What waits in a handler until it may go on, and what has begun, by user. */
  let gate = Promise.withResolvers<void>();
  let begun: string[] = [];
  const inProgress = new Map<string, number>();
  let mostInProgress = 0;
  /** A provider that accepts connections and never responds. */
  const unanswered: Socket[] = [];
  const silent = createServer((socket) => unanswered.push(socket));

  const routes: Routes = (server) => {
    const options = routeOptions('member', 'test')({ hide: true });
    server.get('/api/test/slow', options, async (request) => {
      const { userId } = callerOf(request);
      const count = (more: number) => inProgress.set(userId, (inProgress.get(userId) ?? 0) + more).get(userId) ?? 0;
      begun.push(userId);
      mostInProgress = Math.max(mostInProgress, count(1));
      await gate.promise;
      count(-1);
      return {};
    });
    server.get('/api/test/quick', options, () => {
      standStill(2);
      return {};
    });
    server.get('/api/test/outside', options, async (request) => {
      begun.push(callerOf(request).userId);
      const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
      await stage.app.outbound.request({ url, timeoutMs: 60_000, mostBytes: 1 }).catch(() => undefined);
      return {};
    });
  };

  const clock = createTestClock();
  const stage = useStage(() =>
    createTestApp('sqlite', { clock, routes: [routes], env: { PATCHBAY_RATE_LIMIT: String(PER_MINUTE) } }),
  );
  const ours = prepare(() => stage.createTeam('ours'));
  const theirs = prepare(() => stage.createTeam('theirs'));
  let port = 0;

  before(async () => {
    port = await listenOnLoopback(stage.server);
    await once(silent.listen(0, '127.0.0.1'), 'listening');
  });
  after(() => silent.close());
  beforeEach(() => {
    gate = Promise.withResolvers();
    begun = [];
    clock.advance(60_000);
  });

  const ask = async (url: string, person?: Person) =>
    stage.server.inject({ url, ...(person && { headers: person.headers }) });
  const askMany = (count: number, url: string, person: Person) =>
    Array.from({ length: count }, async () => (await ask(url, person)).statusCode);

  test('has a few of them in progress, and other members and teams need not wait', async () => {
    const flood = askMany(MANY, '/api/test/slow', ours.member);
    await waitUntil('a few have begun', () => begun.length >= AT_ONCE);
    const others = [ask('/api/test/slow', ours.admin), ask('/api/test/slow', theirs.member)];
    await waitUntil('the others have begun', () => begun.length >= AT_ONCE + 2);
    assert.equal(begun.length, AT_ONCE + 2);
    gate.resolve();
    for (const { statusCode } of await Promise.all(others)) assert.equal(statusCode, 200);
    assert.deepEqual(new Set(await Promise.all(flood)), new Set([200]));
    assert.equal(begun.length, MANY + 2);
    assert.equal(mostInProgress, AT_ONCE);
  });

  test('leaves turns of the event loop to everyone else, however quick each request is', async () => {
    let [turns, isOver] = [0, false];
    const countTurns = (): void => {
      turns++;
      if (!isOver) setImmediate(countTurns);
    };
    countTurns();
    await Promise.all(askMany(MANY, '/api/test/quick', ours.member));
    isOver = true;
    assert.ok(turns > MANY / AT_ONCE / 2, `${MANY} requests in ${turns} turns`);
  });

  test('is slowed down, and refused only far above their rate, which nobody else notices', async () => {
    const TOO_MANY = 20;
    const flood = Array.from({ length: BURST + PACED + TOO_MANY }, () => ask('/api/team', ours.member));
    const refused = (await Promise.all(flood)).filter(({ statusCode }) => statusCode !== 200);
    assert.equal(refused.length, TOO_MANY);
    for (const { statusCode, headers, json } of refused) {
      assert.equal(statusCode, 429);
      assert.equal(json().code, 'http.rate_limited');
      assert.match(String(headers['retry-after']), /^[1-9]\d*$/);
    }
    for (const person of [ours.admin, theirs.member]) assert.equal((await ask('/api/team', person)).statusCode, 200);
    for (const url of ['/healthz', '/readyz', '/api/webhooks/telephony/recording', '/api/webhooks/telephony/voice'])
      assert.equal((await ask(url)).statusCode, 200, url);
  });

  test('whose requests wait for a slow provider can still do something else', async () => {
    const waiting = askMany(AT_ONCE * 4, '/api/test/outside', ours.member);
    await waitUntil('all have begun', () => begun.length === AT_ONCE * 4);
    assert.equal((await ask('/api/team', ours.member)).statusCode, 200);
    await waitUntil('the provider has them all', () => unanswered.length === waiting.length);
    for (const socket of unanswered) socket.destroy();
    await Promise.all(waiting);
  });

  test('who is removed while they wait in line is refused when it is their turn', async () => {
    const { admin, member } = await stage.createTeam('removed');
    const slow = askMany(AT_ONCE, '/api/test/slow', member);
    await waitUntil('as many as can be are in progress', () => begun.length === AT_ONCE);
    const waiting = ask('/api/test/slow', member);
    const url = `/api/members/${member.user.id}`;
    const removed = await stage.server.inject({ method: 'DELETE', url, headers: admin.headers });
    assert.equal(removed.statusCode, 204, removed.body);
    skipAhead(STALE_MS);
    gate.resolve();
    assert.equal((await waiting).statusCode, 401);
    await Promise.all(slow);
    assert.equal(begun.length, AT_ONCE);
  });

  test('who leaves while they wait in line has none of them begun', async () => {
    let arrived = 0;
    const open = new Set<Socket>();
    stage.server.server.on('request', () => arrived++);
    stage.server.server.on('connection', (socket) => open.add(socket.on('close', () => open.delete(socket))));
    const sockets = Array.from({ length: AT_ONCE * 5 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    for (const socket of sockets)
      socket.write(
        `GET /api/test/slow HTTP/1.1\r\nHost: x\r\nAuthorization: ${ours.member.headers.authorization}\r\n\r\n`,
      );
    await waitUntil('all have arrived', () => arrived === sockets.length && begun.length === AT_ONCE);
    for (const socket of sockets) socket.destroy();
    await waitUntil('the server knows that they left', () => open.size === 0);
    gate.resolve();
    assert.equal((await ask('/api/test/slow', ours.member)).statusCode, 200);
    assert.equal(begun.length, AT_ONCE + 1);
  });
});

test('a program that reads page after page at full speed is not refused', async (context) => {
  const stage = await createTestApp('sqlite', { env: { PATCHBAY_RATE_LIMIT: String(PER_MINUTE) } });
  context.after(stage.close);
  const { member } = await stage.createTeam('ours');
  const statuses = new Set<number>();
  for (let page = 0; page < BURST + PACED + 50; page++)
    statuses.add((await stage.server.inject({ url: '/api/calls?limit=100', headers: member.headers })).statusCode);
  assert.deepEqual(statuses, new Set([200]));
});
