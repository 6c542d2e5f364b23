import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { before, describe, type TestContext, test } from 'node:test';
import type { Routes } from '../../src/http/index.ts';
import { exchangeBytes, listenOnLoopback, printRequest } from '../harness/raw-http.ts';
import { JSON_TYPE, openLine, senderOf } from '../harness/telephony-senders.ts';
import { openTelephonyStage, VOICE } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MEBIBYTE = 1024 * 1024;
/** What all large bodies of callers may take together, and those of webhooks once more. */
const TOTAL = 64 * MEBIBYTE;
const WEBHOOK_BYTES = 256 * 1024;
const PER_ADDRESS = 4;
const PER_TEAM = 8;

type Header = readonly [string, string];

const swallow: Routes = (server) => {
  server.post('/api/swallow', { config: { access: 'member' }, schema: { hide: true } }, async () => ({ ok: true }));
};

describe('bodies that never end', () => {
  const stage = useStage(() =>
    openTelephonyStage('sqlite', { env: { PATCHBAY_TRUSTED_PROXIES: '127.0.0.1' }, routes: [swallow] }),
  );
  let port: number;
  before(async () => {
    port = await listenOnLoopback(stage.server);
  });

  const print = (target: string, headers: readonly Header[], body?: string | Buffer): Buffer =>
    printRequest(target, { method: 'POST', headers: [['Host', 'localhost:3000'], ...headers], ...(body && { body }) });

  /** Requests without their bodies. They count once the server has asked for the body. */
  const begin = async (context: TestContext, heads: readonly Buffer[]) => {
    const clients = heads.map((head) => {
      const client = { socket: connect(port, '127.0.0.1'), heard: '' };
      context.after(() => client.socket.destroy());
      client.socket.on('error', () => undefined).setEncoding('utf8');
      client.socket.on('data', (text: string) => (client.heard += text));
      client.socket.write(head);
      return client;
    });
    const isAsked = ({ heard }: { heard: string }): boolean => heard.startsWith('HTTP/1.1 100');
    await waitUntil('the server waits for all of them', () => clients.every(isAsked));
    return {
      /** Which of them were ended, with a reason. */
      ended: () => clients.flatMap(({ heard }, index) => (heard.includes('http.too_many_bodies') ? [index] : [])),
      open: () => clients.filter(({ socket }) => !socket.closed).length,
    };
  };

  test('of webhooks from many addresses make way for one that is signed', async (context) => {
    const count = TOTAL / WEBHOOK_BYTES;
    const heads = Array.from({ length: count }, (_, index) =>
      print(VOICE, [
        ['X-Forwarded-For', `198.51.100.${Math.floor(index / PER_ADDRESS)}`],
        ['Content-Type', JSON_TYPE],
        ['Content-Length', String(WEBHOOK_BYTES)],
        ['Expect', '100-continue'],
      ]),
    );
    const strangers = await begin(context, heads);
    assert.deepEqual(strangers.ended(), [], 'All of them fit.');

    const sender = senderOf('twilio');
    const line = await openLine(stage, sender);
    const told = sender.rings(line.accountId, sender.newCallId());
    const fields = { ...told.fields, Note: 'x'.repeat(WEBHOOK_BYTES - 2_000) };
    const { target, type, body, headers } = line.sign(line.print({ ...told, fields }));
    const sent = print(target, [['Content-Type', type], ...Object.entries(headers)], body);
    const [answer] = await exchangeBytes(port, sent);
    assert.equal(answer?.status, 200, answer?.body);
    await waitUntil('one of the others has ended', () => strangers.open() === count - 1);
    assert.deepEqual(strangers.ended(), [0], 'The oldest made way, and knows why.');
  });

  test('of several teams make way for another team, and for nobody with fewer', async (context) => {
    const body = Buffer.from(JSON.stringify({ a: 'x'.repeat(MEBIBYTE - 8) }));
    const headersOf = async (): Promise<Header[]> => {
      const { member } = await stage.createTeam(`team-${stage.app.newId().slice(-12)}`);
      return [
        ['Content-Type', JSON_TYPE],
        ['Authorization', member.headers.authorization],
      ];
    };
    const unfinished: Header[] = [
      ['Content-Length', String(body.length)],
      ['Expect', '100-continue'],
    ];
    const [modest, ...greedy] = await Promise.all(
      Array.from({ length: TOTAL / body.length / PER_TEAM + 1 }, headersOf),
    );
    const waiting = await begin(context, [print('/api/swallow', [...(modest ?? []), ...unfinished])]);
    const others = await begin(
      context,
      greedy.flatMap((headers) => Array(PER_TEAM).fill(print('/api/swallow', [...headers, ...unfinished]))),
    );
    await waitUntil('one of those with the most has made way', () => others.ended().length === 1);
    const [answer] = await exchangeBytes(port, print('/api/swallow', await headersOf(), body));
    assert.equal(answer?.status, 200, answer?.body);
    assert.deepEqual(waiting.ended(), [], 'Nobody with a single one had to make way, although it came first.');
    assert.equal(others.ended().length, 2);
  });
});
