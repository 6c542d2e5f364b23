import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onlyItemOf, readWebhook, webhookOf } from '../../../../test/harness/read-webhook.ts';
import type { SignAs } from '../../../../test/harness/webhook-senders.ts';
import * as sender from '../../../../test/harness/webhook-senders.ts';
import type { Webhook } from '../../catalogue/webhook/webhook.ts';
import { readMessage } from './read-message.ts';

const NOW = Date.parse('2026-11-19T12:00:00Z');
const SECRET = 'a-secret';

const send = async (
  webhook: Webhook | string,
  sign: SignAs,
  content: unknown,
  headers: Record<string, string> = {},
) => {
  const body = typeof content === 'string' ? content : JSON.stringify(content);
  const message = await sign(body, { secret: SECRET, now: NOW });
  const entry = typeof webhook === 'string' ? webhookOf(webhook) : webhook;
  const sent = { ...message, headers: { ...message.headers, ...headers } };
  return readWebhook(entry, sent, { secrets: [SECRET], now: NOW });
};
const itemsOf = async (...message: Parameters<typeof send>) => {
  const reading = await send(...message);
  assert.equal(reading.kind, 'items', JSON.stringify(reading));
  return reading.items;
};

describe('a message with several items', () => {
  const contact = (portalId: number, eventId: number, attemptNumber = 0) => ({
    ...{ eventId, portalId, attemptNumber, subscriptionId: 1, occurredAt: 1_564_113_600_000 },
    ...{ subscriptionType: 'contact.creation', objectId: 123 },
  });

  test('is taken apart, and nobody gets what is about another account', async () => {
    const sent = [contact(62515, 1), contact(777, 2), contact(62515, 3)];
    const items = await itemsOf('hubspot', sender.signAsHubSpot, sent);
    assert.deepEqual(
      items.map(({ named, payload }) => [named.account, JSON.parse(payload)]),
      [
        [['62515'], sent[0]],
        [['777'], sent[1]],
        [['62515'], sent[2]],
      ],
    );
  });

  test('repeats an item in whatever message it comes', async () => {
    const first = await itemsOf('hubspot', sender.signAsHubSpot, [contact(1, 1), contact(1, 2)]);
    const again = await itemsOf('hubspot', sender.signAsHubSpot, [contact(1, 2, 1), contact(2, 1)]);
    assert.equal(again[0]?.repeat, first[1]?.repeat);
    assert.equal(new Set([...first, ...again].map(({ repeat }) => repeat)).size, 3);
  });

  test('is hashed once, and not again for each item', async () => {
    const body = Buffer.from(JSON.stringify({ events: Array.from({ length: 1_000 }, () => ({ action: 'added' })) }));
    let reads = 0;
    const message = {
      ...({ method: 'POST', url: '', query: '', headers: {} } as const),
      get body() {
        reads++;
        return body;
      },
    };
    const webhook = { ...webhookOf('asana'), signatures: [] };
    const reading = await readMessage({ webhook, keys: [], message, now: NOW });
    assert.ok(reading.kind === 'items');
    assert.equal(new Set(reading.items.map(({ repeat }) => repeat)).size, 1_000);
    assert.ok(reads < 10, `The body was read ${reads} times.`);
  });

  test('can have plain values, of which each names an account', async () => {
    const items = await itemsOf('dropbox', sender.signAsDropbox, { list_folder: { accounts: ['dbid:1', 'dbid:2'] } });
    assert.deepEqual(
      items.map(({ type, named, payload, repeat }) => [type, named.account, payload, repeat]),
      [
        ['list_folder', ['dbid:1'], '"dbid:1"', null],
        ['list_folder', ['dbid:2'], '"dbid:2"', null],
      ],
    );
  });

  test('can have none, which is no event', async () => {
    const validation = { events: [], firstEventSequence: 0, lastEventSequence: 0, entropy: 'S0m3r4nd0mt3xt' };
    assert.deepEqual(await itemsOf('xero', sender.signAsXero, validation), []);
    assert.deepEqual(await itemsOf('asana', sender.signAsAsana, { events: [] }), []);
  });

  test('is malformed without a list, or with too many items', async () => {
    for (const content of [{}, { events: {} }, { events: 'x' }, [], { data: { events: [] } }])
      assert.deepEqual(await send('xero', sender.signAsXero, content), { kind: 'malformed' }, JSON.stringify(content));
    const many = (count: number) => ({ events: Array.from({ length: count }, () => ({ eventType: 'CREATE' })) });
    assert.equal((await itemsOf('xero', sender.signAsXero, many(1_000))).length, 1_000);
    assert.deepEqual(await send('xero', sender.signAsXero, many(1_001)), { kind: 'malformed' });
  });

  test('tells equal items apart by their place if they have no ID', async () => {
    const event = { action: 'changed', resource: { gid: '1', resource_type: 'task' } };
    const items = await itemsOf('asana', sender.signAsAsana, { events: [event, event] });
    const again = await itemsOf('asana', sender.signAsAsana, { events: [event, event] });
    assert.notEqual(items[0]?.repeat, items[1]?.repeat);
    assert.deepEqual(
      again.map(({ repeat }) => repeat),
      items.map(({ repeat }) => repeat),
    );
  });

  test('needs the token in each of them', async () => {
    const value = [{ changeType: 'created' }, { lifecycleEvent: 'missed', changeType: 'updated' }];
    const reading = await send('microsoft', sender.tellAsMicrosoft, { value });
    assert.equal(reading.kind, 'items');
    assert.equal(reading.verified, 'token');
    assert.deepEqual(
      reading.items.map(({ type }) => type),
      ['created', 'missed'],
    );
    const plain: SignAs = (body) => ({ headers: {}, body });
    const told = (...tokens: (string | null)[]) => ({ value: tokens.map((clientState) => ({ clientState })) });
    const refused: [unknown, string][] = [
      [told(SECRET, 'another'), 'other_token'],
      [told('another', SECRET), 'other_token'],
      [told(SECRET, null), 'no_token'],
      [told(), 'no_token'],
      [{}, 'no_token'],
    ];
    for (const [content, reason] of refused)
      assert.deepEqual(await send('microsoft', plain, content), { kind: 'refused', reason }, JSON.stringify(content));
  });
});

describe('a message', () => {
  test('is malformed if it is signed, but unreadable', async () => {
    for (const body of ['', 'Hello, World!', '{', `${'['.repeat(10_000)}${']'.repeat(10_000)}`])
      assert.deepEqual(await send('square', sender.signAsSquare, body), { kind: 'malformed' }, body.slice(0, 20));
  });

  test('is kept as it was sent', async () => {
    const body = '{ "type" : "charge.succeeded", "id":"evt_1", "amount": 1.0, "big": 12345678901234567890 }';
    assert.equal(onlyItemOf(await send('stripe', sender.signAsStripe, body)).payload, body);
  });

  test('is kept as JSON if it is a form', async () => {
    const body = 'type=subscribe&fired_at=2026-11-19+12%3A00%3A00&data%5Blist_id%5D=a6b5da1054';
    const reading = await send('mailchimp', sender.sendAsMailchimp, body);
    assert.equal(reading.kind, 'items');
    assert.deepEqual([reading.verified, reading.seen?.key], ['none', null]);
    const { type, payload, named } = onlyItemOf(reading);
    assert.equal(type, 'subscribe');
    assert.deepEqual(JSON.parse(payload), {
      ...{ type: 'subscribe', fired_at: '2026-11-19 12:00:00', 'data[list_id]': 'a6b5da1054' },
    });
    assert.deepEqual(named, { account: [], installation: [], host: [] });
    const action = new URLSearchParams({ payload: '{"type":"block_actions","team":{"id":"T1"}}' }).toString();
    const interaction = onlyItemOf(await send('slack', sender.signAsSlackForm, action));
    assert.deepEqual([interaction.type, interaction.named.account], ['block_actions', ['T1']]);
    assert.equal(interaction.payload, '{"type":"block_actions","team":{"id":"T1"}}');
  });

  test('of an unknown type says so, and a type is one short line', async () => {
    const typeOf = async (type: unknown) => onlyItemOf(await send('square', sender.signAsSquare, { type })).type;
    for (const type of [undefined, null, '', {}, [], '\u0000\u0007']) assert.equal(await typeOf(type), 'unknown');
    assert.equal(await typeOf('a\nb\u202e'), 'ab');
    assert.equal(await typeOf('x'.repeat(501)), 'unknown');
    assert.ok((await typeOf('x'.repeat(500))).length <= 500);
  });

  test('is a sign of life where the entry says so', async () => {
    const ping: SignAs = (body, signing) => sender.signAsGitHub(body, { ...signing, type: 'ping' });
    assert.deepEqual(await itemsOf('github', ping, { zen: 'Speak like a human.', hook_id: 1 }), []);
    assert.deepEqual(await itemsOf('intercom', sender.signAsIntercom, { topic: 'ping', app_id: 'a' }), []);
    const any = { ...webhookOf('square'), quiet: { '{header:x-test}': [''], '{body:test}': ['yes'] } };
    const quiet = async (content: object, headers = {}) =>
      (await itemsOf(any, sender.signAsSquare, content, headers)).length === 0;
    assert.deepEqual(
      [await quiet({}), await quiet({}, { 'x-test': '1' }), await quiet({ test: 'yes' }), await quiet({ test: 'no' })],
      [false, true, true, false],
    );
  });

  test('is repeated if it has the same ID, or the same body where there is no ID', async () => {
    const repeatOf = async (provider: string, sign: SignAs, content: object) =>
      onlyItemOf(await send(provider, sign, content)).repeat;
    const square = (content: object) => repeatOf('square', sender.signAsSquare, content);
    assert.equal(await square({ event_id: 'e1', n: 1 }), await square({ event_id: 'e1', n: 2 }));
    assert.notEqual(await square({ event_id: 'e1' }), await square({ event_id: 'e2' }));
    assert.notEqual(await square({ n: 1 }), await square({ n: 2 }));
    assert.equal(await square({ n: 1 }), await square({ n: 1 }));
    const webflow =
      (now: number): SignAs =>
      (body) =>
        sender.signAsWebflow(body, { secret: SECRET, now });
    const [first, later] = [webflow(NOW), webflow(NOW + 5_000)];
    const again = await repeatOf('webflow', later, { n: 1 });
    assert.equal(await repeatOf('webflow', first, { n: 1 }), again, 'Another time was signed.');
  });

  test('can have an ID that is longer than a number', async () => {
    const body = '{"sender":{"id":9007199254740993}}';
    assert.deepEqual(onlyItemOf(await send('github', sender.signAsGitHub, body)).named.account, ['9007199254740993']);
  });
});

describe('a message with several ways to prove it', () => {
  const token = { 'x-gitlab-token': SECRET };
  const key = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`;
  const gitlab = async (headers: Record<string, string>, secrets: string[]) => {
    const reading = await readWebhook(
      webhookOf('gitlab'),
      { headers, body: '{"object_kind":"push"}' },
      { secrets, now: NOW },
    );
    return reading.kind === 'items' ? reading.verified : reading.kind === 'refused' ? reading.reason : reading.kind;
  };
  const signed = async () => (await sender.signAsGitLab('{"object_kind":"push"}', { secret: key, now: NOW })).headers;

  test('is proved by the first that it has', async () => {
    assert.equal(await gitlab(token, [SECRET]), 'token');
    assert.equal(await gitlab(await signed(), [key]), 'signature');
    assert.equal(await gitlab({ ...(await signed()), ...token }, [key, SECRET]), 'signature');
    assert.equal(await gitlab({}, [SECRET]), 'no_token');
    assert.equal(await gitlab({ 'x-gitlab-token': 'another' }, [SECRET]), 'other_token');
  });

  test('is refused if that one is wrong, even if a weaker one is right', async () => {
    const wrong = { ...(await signed()), 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` };
    assert.equal(await gitlab({ ...wrong, ...token }, [key, SECRET]), 'other_secret');
    assert.equal(await gitlab({ ...wrong, ...token, 'webhook-signature': 'v2,x' }, [key, SECRET]), 'malformed');
    const old = await sender.signAsGitLab('{"object_kind":"push"}', { secret: key, now: NOW - 301_000 });
    assert.equal(await gitlab({ ...old.headers, ...token }, [key, SECRET]), 'stale');
  });

  test('can have ten signatures at most', async () => {
    const headers = await signed();
    const list = (before: number) => `${'v1,eA== '.repeat(before)}${headers['webhook-signature']}`;
    assert.equal(await gitlab({ ...headers, 'webhook-signature': list(9) }, [key]), 'signature');
    assert.equal(await gitlab({ ...headers, 'webhook-signature': list(10) }, [key]), 'other_secret');
  });

  test('can have them in numbered headers', async () => {
    const { headers, body } = await sender.signAsDocusign('{"event":"x"}', { secret: SECRET, now: NOW });
    const { 'x-docusign-signature-2': mine = '', 'x-docusign-signature-1': other = '', ...rest } = headers;
    const read = (named: Record<string, string>) =>
      readWebhook(webhookOf('docusign'), { headers: { ...rest, ...named }, body }, { secrets: [SECRET], now: NOW });
    for (const number of [1, 2, 10])
      assert.equal((await read({ [`x-docusign-signature-${number}`]: mine })).kind, 'items');
    assert.equal((await read({ 'x-docusign-signature-1': other })).kind, 'refused');
    assert.equal((await read({ 'x-docusign-signature-11': mine })).kind, 'refused');
  });
});
