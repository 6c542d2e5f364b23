import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { verifyEvent } from './index.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const BODY = JSON.stringify({ id: 'evt_1', type: 'test', team: { id: 't1', key: 'kö' }, data: {} });
const REFUSED = { code: 'client.event_refused' };

const sign = (body: string, secret = SECRET, ageSeconds = 0) => {
  const sentAt = new Date(Date.now() - ageSeconds * 1_000);
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', sentAt, body),
  };
};

test('an event is returned if it is signed, from a string or bytes, with either kind of headers', async () => {
  const headers = sign(BODY);
  for (const body of [BODY, new TextEncoder().encode(BODY)])
    for (const source of [headers, new Headers(headers)])
      assert.deepEqual(await verifyEvent(body, source, SECRET), JSON.parse(BODY));
});

test('an event of any type that Patchbay sends has the data of that type', async () => {
  const body = JSON.stringify({ id: 'evt_1', type: 'call.reopened', data: { id: 'call_1' } });
  const event = await verifyEvent(body, sign(body), SECRET);
  // This compiles only if there is such an event type.
  assert.ok(event.type === 'call.reopened');
  assert.equal(event.data.id, 'call_1');
});

test('one of several signatures is enough, in any place', async () => {
  const headers = sign(BODY);
  const others = [sign(BODY, OTHER)['webhook-signature'], 'v1a,AAAA', 'v1,?', 'v1', ''];
  const all = { ...headers, 'webhook-signature': [...others, headers['webhook-signature']].join(' ') };
  assert.equal((await verifyEvent(BODY, all, SECRET)).id, 'evt_1');
});

test('an event with another body, id, time or secret is refused', async () => {
  const headers = sign(BODY);
  await assert.rejects(verifyEvent(`${BODY} `, headers, SECRET), REFUSED);
  await assert.rejects(verifyEvent(BODY, { ...headers, 'webhook-id': 'evt_2' }, SECRET), REFUSED);
  const later = String(Number(headers['webhook-timestamp']) + 1);
  await assert.rejects(verifyEvent(BODY, { ...headers, 'webhook-timestamp': later }, SECRET), REFUSED);
  await assert.rejects(verifyEvent(BODY, headers, OTHER), REFUSED);
});

test('an event from more than five minutes ago, or from the future, is refused', async () => {
  for (const age of [310, -310]) await assert.rejects(verifyEvent(BODY, sign(BODY, SECRET, age), SECRET), REFUSED);
  for (const age of [280, -280]) assert.ok(await verifyEvent(BODY, sign(BODY, SECRET, age), SECRET));
  for (const time of ['now', '1e9', '-1', `${Date.now()}00000`])
    await assert.rejects(verifyEvent(BODY, { ...sign(BODY), 'webhook-timestamp': time }, SECRET), REFUSED);
});

test('missing headers and secrets that are none are refused', async () => {
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    await assert.rejects(verifyEvent(BODY, { ...sign(BODY), [name]: undefined }, SECRET), REFUSED);
  for (const secret of ['', 'whsec_', 'whsec_?', SECRET.slice('whsec_'.length)])
    await assert.rejects(verifyEvent(BODY, sign(BODY), secret), REFUSED);
});

test('of many signatures only the first ones are looked at', async () => {
  const headers = sign(BODY);
  const flood = `${'v1,AAAA '.repeat(10)}${headers['webhook-signature']}`;
  await assert.rejects(verifyEvent(BODY, { ...headers, 'webhook-signature': flood }, SECRET), REFUSED);
});

test('a secret that is not set is refused', () =>
  assert.rejects(verifyEvent(BODY, sign(BODY), undefined), { ...REFUSED, message: /whsec_/ }));

test('a body that was parsed is refused, and the error says so', async () => {
  for (const body of [JSON.parse(BODY), [1], undefined, null, new ArrayBuffer(8)])
    await assert.rejects(verifyEvent(body, sign(BODY), SECRET), { ...REFUSED, message: /as it arrived/ });
});
