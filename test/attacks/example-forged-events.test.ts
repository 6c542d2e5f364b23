// Attack: make the example product, and every product that was made from it, believe what didn't happen, or remember without end.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { startExampleAlone } from '../browser/example.ts';
import { useStage } from '../harness/use-stage.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const example = useStage(() => startExampleAlone(SECRET));

const eventOf = (sequence: number, key: string | null, provider = `p${sequence}`) => ({
  id: `evt_${key}_${sequence}`,
  ...{ type: 'connection.connected', timestamp: '2026-11-17T12:00:00.000Z', sequence },
  ...{ team: { id: 'team', key }, data: { provider } },
});

const send = async (
  event: ReturnType<typeof eventOf>,
  { secret = SECRET, at = new Date(), body = JSON.stringify(event) } = {},
): Promise<number> => {
  const signed = JSON.stringify(event);
  const headers = {
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(event.id, at, signed),
  };
  const response = await fetch(`${example.origin}/patchbay-events`, { method: 'POST', headers, body });
  return response.status;
};

/** What a user's page lists, as it is without scripts. */
const listEvents = async (user: string): Promise<string[]> => {
  const page = await (await fetch(example.origin, { headers: { cookie: `user=${user}` } })).text();
  return [...page.matchAll(/<li>[\d-]{10} [\d:]{8} (.*)<\/li>/g)].map(([, line = '']) => line);
};

test('the example believes only what is signed now, with its own secret', async () => {
  const event = eventOf(1, 'customer-1');
  assert.equal(await send(event, { secret: OTHER_SECRET }), 400);
  assert.equal(await send(event, { at: new Date(Date.now() - 6 * 60_000) }), 400);
  assert.equal(await send(event, { body: JSON.stringify(eventOf(1, 'customer-2')) }), 400);
  const unsigned = await fetch(`${example.origin}/patchbay-events`, { method: 'POST', body: JSON.stringify(event) });
  assert.equal(unsigned.status, 400);
  assert.deepEqual(await listEvents('ann'), []);
});

test('it keeps each of the newest events once, in order, for its customer alone', async () => {
  for (const sequence of [2, 1, 2, ...Array.from({ length: 30 }, (_, index) => 32 - index), 1])
    assert.equal(await send(eventOf(sequence, 'customer-1')), 204);
  const newest = Array.from({ length: 20 }, (_, index) => `connection.connected p${32 - index}`);
  assert.deepEqual(await listEvents('ann'), newest);
  assert.deepEqual(await listEvents('bob'), []);
  // A test has no customer, and a customer can be gone.
  assert.equal(await send(eventOf(1, null)), 204);
  assert.equal(await send(eventOf(1, 'customer-3')), 204);
  assert.equal(await send(eventOf(1, 'customer-2', '<b>$&')), 204);
  assert.deepEqual(await listEvents('bob'), ['connection.connected &#60;b&#62;$&#38;']);
});

test('a body without an end is neither kept nor waited for, and only its own pages follow along', async () => {
  const { hostname, port } = new URL(example.origin);
  const socket = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
  socket.write('POST /patchbay-events HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n');
  socket.write('x'.repeat(70 * 1024));
  await new Promise((resolve) => socket.resume().once('close', resolve));
  const aborted = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
  aborted.write('POST /patchbay-events HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nx');
  aborted.end();
  const elsewhere = await fetch(`${example.origin}/events`, { headers: { 'sec-fetch-site': 'cross-site' } });
  assert.equal(elsewhere.status, 404);
  assert.equal((await listEvents('ann')).length, 20);
});
