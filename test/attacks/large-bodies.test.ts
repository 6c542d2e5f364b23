import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { before, describe, test } from 'node:test';
import type { Routes } from '../../src/http/index.ts';
import { createTestApp, type Person } from '../harness/app.ts';
import { expectProblem } from '../harness/problem.ts';
import { exchangeBytes, listenOnLoopback, printRequest } from '../harness/raw-http.ts';
import { FORM_TYPE, JSON_TYPE } from '../harness/telephony-senders.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MEBIBYTE = 1024 * 1024;
const SMALL = 16 * 1024;
/** How many large bodies of a caller are received at a time. */
const AT_ONCE = 8;
/** What Node takes off the wire before anyone reads a body. */
const MOST_UNREAD = 256 * 1024;

const OPEN = {
  'JSON for a sign-in link': ['/sign-in/none', JSON_TYPE],
  'a form for a sign-in link': ['/sign-in/none', FORM_TYPE],
  'a click on "unsubscribe"': ['/unsubscribe/none', FORM_TYPE],
} as const;

const swallow: Routes = (server) => {
  server.post('/api/swallow', { config: { access: 'member' }, schema: { hide: true } }, async () => ({ ok: true }));
};

describe('a large body', () => {
  const house = useStage(() => createTestApp('sqlite', { routes: [swallow] }));
  let port: number;
  before(async () => {
    port = await listenOnLoopback(house.server);
  });

  const head = (target: string, type: string, length: readonly [string, string], person?: Person): Buffer =>
    printRequest(target, {
      method: 'POST',
      headers: [
        ['Host', 'localhost:3000'],
        ['Content-Type', type],
        length,
        ...(person ? [['Authorization', person.headers.authorization] as const] : []),
      ],
    });
  const body = Buffer.from(JSON.stringify({ a: 'x'.repeat(MEBIBYTE - 8) }));
  const swallowHead = (person: Person) =>
    head('/api/swallow', JSON_TYPE, ['Content-Length', String(body.length)], person);

  for (const [what, [target, type]] of Object.entries(OPEN))
    test(`is refused to strangers before any of it has arrived: ${what}`, async () => {
      const [long] = await exchangeBytes(port, head(target, type, ['Content-Length', String(SMALL + 1)]));
      assert.ok(long, 'There was no answer.');
      assert.equal(long.status, 413);
      const [endless] = await exchangeBytes(port, head(target, type, ['Transfer-Encoding', 'chunked']));
      assert.equal(endless?.status, 411);
      const small = Buffer.concat([head(target, type, ['Content-Length', String(SMALL)]), Buffer.alloc(SMALL, ' ')]);
      const [answer] = await exchangeBytes(port, small);
      assert.ok(answer && answer.status !== 413 && answer.status < 500, `${answer?.status}`);
    });

  test('stays on the wire if its sender has many that never end, and others are not affected', async (context) => {
    const [greedy, other] = [await house.createTeam('greedy'), await house.createTeam('other')];
    const received: Socket[] = [];
    const note = (socket: Socket): unknown => received.push(socket);
    house.server.server.on('connection', note);
    const answers: string[] = [];
    const clients = Array.from({ length: AT_ONCE + 4 }, () => {
      const client = connect(port, '127.0.0.1').on('error', () => undefined);
      context.after(() => client.destroy());
      client.setEncoding('utf8').on('data', (text: string) => answers.push(text.slice(0, 12)));
      client.write(swallowHead(greedy.member));
      client.write(body.subarray(0, -1));
      return client;
    });
    const countWhole = (): number => received.filter((socket) => socket.bytesRead > MEBIBYTE - 1).length;
    await waitUntil('as many as may be received have arrived', () => countWhole() === AT_ONCE);
    house.server.server.off('connection', note);

    for (const [who, person] of Object.entries({ 'another team': other.member, 'the same team': greedy.admin })) {
      const [answer] = await exchangeBytes(port, Buffer.concat([swallowHead(person), body]));
      assert.equal(answer?.status, 200, `Someone of ${who} is answered.`);
    }
    assert.equal(countWhole(), AT_ONCE);
    const unread = received.filter((socket) => socket.bytesRead <= MOST_UNREAD);
    assert.equal(unread.length, 4, received.map((socket) => socket.bytesRead).join(', '));

    for (const client of clients) client.write(body.subarray(-1));
    await waitUntil('all of them are answered', () => answers.length === clients.length);
    assert.deepEqual(new Set(answers), new Set(['HTTP/1.1 200']));
  });

  test('whose sender leaves before it is received takes no turn from the next', async (context) => {
    const { member } = await house.createTeam('leaving');
    const sockets = new Set<Socket>();
    const note = ({ socket }: { socket: Socket }): unknown => sockets.add(socket);
    house.server.server.on('request', note);
    context.after(() => house.server.server.off('request', note));
    const answers: string[] = [];
    const begin = (sent: Buffer): Socket => {
      const client = connect(port, '127.0.0.1').on('error', () => undefined);
      context.after(() => client.destroy());
      client.setEncoding('utf8').on('data', (text: string) => answers.push(text.slice(0, 12)));
      client.write(swallowHead(member));
      client.write(sent);
      return client;
    };
    const first = Array.from({ length: AT_ONCE }, () => begin(body.subarray(0, -1)));
    const isWhole = ({ bytesRead }: Socket): boolean => bytesRead > MEBIBYTE - 1;
    await waitUntil('as many as may be received have arrived', () => [...sockets].filter(isWhole).length === AT_ONCE);
    const leaving = Array.from({ length: AT_ONCE }, () => begin(body.subarray(0, 1)));
    await waitUntil('the others wait for their turn', () => sockets.size === 2 * AT_ONCE);
    for (const client of leaving) client.destroy();
    await waitUntil('they have left', () => [...sockets].filter(({ destroyed }) => destroyed).length === AT_ONCE);
    for (const client of first) client.write(body.subarray(-1));
    await waitUntil('the first are answered', () => answers.length === AT_ONCE);
    const [answer] = await exchangeBytes(port, Buffer.concat([swallowHead(member), body]));
    assert.equal(answer?.status, 200);
  });

  test('of a member may have up to a mebibyte, and not a byte more', async () => {
    const { member } = await house.createTeam('usual');
    const long = head('/api/swallow', JSON_TYPE, ['Content-Length', String(MEBIBYTE + 1)], member);
    const [refused] = await exchangeBytes(port, long);
    assert.ok(refused);
    expectProblem(refused, 413, 'a byte more');
    for (const length of [body.length, body.length, body.length]) {
      const sent = head('/api/swallow', JSON_TYPE, ['Content-Length', String(length)], member);
      assert.equal((await exchangeBytes(port, Buffer.concat([sent, body])))[0]?.status, 200);
    }
  });
});
