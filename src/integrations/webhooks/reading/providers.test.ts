import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MORE_WEBHOOK_CASES } from '../../../../test/harness/more-webhook-cases.ts';
import { onlyItemOf, readWebhook, webhookOf } from '../../../../test/harness/read-webhook.ts';
import { WEBHOOK_CASES, type WebhookCase } from '../../../../test/harness/webhook-cases.ts';
import { URL_OF_OURS } from '../../../../test/harness/webhook-senders/signing.ts';
import type { SignedMessage } from '../../../../test/harness/webhook-senders.ts';

const NOW = Date.parse('2026-11-19T12:00:00.500Z');
const ANOTHER_URL = `${URL_OF_OURS}/another`;
const NAMES_NOBODY = { account: [], installation: [], host: [] };

/** A secret in the same format that doesn't fit. */
const another = (secret: string): string => {
  const middle = Math.floor(secret.length / 2);
  return `${secret.slice(0, middle)}${/a/i.test(secret[middle] ?? '') ? 'B' : 'A'}${secret.slice(middle + 1)}`;
};

type Change = (message: SignedMessage) => SignedMessage;

const play = ({
  provider,
  secret,
  sign,
  body,
  header,
  named = '',
  configured = secret,
  ...told
}: WebhookCase): void => {
  const webhook = webhookOf(provider);
  const signed = (now = NOW, url = URL_OF_OURS) => sign(body(now), { secret, now, url });
  const read = (message: SignedMessage, { secrets = [configured], now = NOW, url = URL_OF_OURS } = {}) =>
    readWebhook(webhook, { ...message, url }, { secrets, now });
  const reasonOf = async (message: SignedMessage, options = {}) => {
    const reading = await read(message, options);
    return reading.kind === 'refused' ? reading.reason : reading.kind;
  };
  const withHeader = (change: (text: string) => string): Change => {
    return ({ headers, body: sent }) => ({
      headers: { ...headers, [header]: change(headers[header] ?? '') },
      body: sent,
    });
  };
  const isToken = told.verified === 'token';

  test('is read', async () => {
    const item = onlyItemOf(await read(await signed()));
    const { type, id, ...names } = told.means;
    assert.deepEqual([item.type, item.id], [type, id]);
    assert.deepEqual(item.named, { ...NAMES_NOBODY, ...names });
    const again = onlyItemOf(await read(await signed(NOW - 1_000)));
    if (!body(NOW).includes(String(NOW))) assert.equal(again.repeat, item.repeat);
  });

  test('says how it was verified, and with which of several secrets', async () => {
    for (const [key, secrets] of [
      [configured],
      [another(configured), configured],
      ['x', another(configured), configured],
    ].entries()) {
      const reading = await read(await signed(), { secrets });
      assert.equal(reading.kind, 'items');
      assert.deepEqual([reading.verified, reading.seen?.key], [told.verified ?? 'signature', key]);
    }
  });

  test('is refused if the signature is missing or changed', async () => {
    const message = await signed();
    const refused = async (change: Change) => reasonOf(change(message));
    const without = await refused(({ headers: { [header]: _, ...headers }, body: sent }) => ({ headers, body: sent }));
    assert.match(without, told.hasOther ? /^other_secret$/ : /^(?:missing|no_token)$/);
    assert.equal(await refused(withHeader(() => '')), without);
    const changes: Record<string, (text: string) => string> = {
      'another name': (text) => (named === '' ? `sha256=${text}` : text.replace(named, `x${named}`)),
      'another version': (text) => (named === '' ? `v1=${text}` : text.replace(named, named.replace(/\d+/, '9'))),
      truncated: (text) => text.slice(0, -2),
      'a character longer': (text) => `${text}0`,
      'upper case': (text) => `${named}${text.toUpperCase()}`,
      'lower case': (text) => (text === text.toLowerCase() ? `${text}x` : text.toLowerCase()),
      'not a signature': () => `${named}undefined`,
      'two bytes': () => `${named}é\u0000`,
    };
    for (const [what, change] of Object.entries(changes))
      assert.match(await refused(withHeader(change)), /^(?:malformed|other_secret|other_token)$/, what);
  });

  test('may have several signatures only where the provider sends several', async () => {
    const message = await signed();
    const between = message.headers[header]?.includes(';') ? ';' : named.endsWith(',') ? ' ' : ',';
    const twice = withHeader((text) => [text, text].join(between))(message);
    const withWrong = withHeader((text) => [`${named}wrong`, text].join(between))(message);
    const wanted = told.severalFit ? /^items$/ : /^(?:malformed|other_secret|other_token)$/;
    assert.match(await reasonOf(twice), wanted);
    assert.match(await reasonOf(withWrong), wanted);
  });

  test('is refused if the body is changed, unless nothing signs it', async () => {
    const message = await signed();
    for (const changed of [`${message.body} `, message.body.slice(0, -1), message.body.replace(/[a-z]/, 'é')])
      assert.match(await reasonOf({ ...message, body: changed }), isToken ? /^(?:items|malformed)$/ : /^other_secret$/);
  });

  test('is refused for another secret, and without any', async () => {
    for (const secrets of [[another(configured)], []])
      assert.match(await reasonOf(await signed(), { secrets }), /^other_(?:secret|token)$/);
  });

  test(told.coversUrl ? 'is refused at another URL' : 'does not depend on the URL', async () => {
    assert.equal(await reasonOf(await signed(), { url: ANOTHER_URL }), told.coversUrl ? 'other_secret' : 'items');
  });

  const { seconds } = told;
  if (seconds === 'by itself')
    test('expires when it says', async () => {
      const message = await signed();
      for (const [ms, wanted] of [
        [299_000, 'items'],
        [301_000, 'stale'],
      ] as const)
        assert.equal(await reasonOf(message, { now: NOW + ms }), wanted);
    });
  else
    test(seconds === undefined ? 'does not expire' : 'expires', async () => {
      const message = await signed();
      const at = (now: number) => reasonOf(message, { now });
      const [start, end] = [NOW - (NOW % 1_000), (seconds ?? 90_000) * 1_000];
      assert.equal(await at(start + end), 'items');
      assert.equal(await at(NOW + end + 1), seconds === undefined ? 'items' : 'stale');
      assert.equal(await at(start - end - 1), seconds === undefined ? 'items' : 'stale');
    });

  const { verify } = told;
  if (verify)
    test("is accepted by the vendor's own library", async () => {
      // Some of the libraries take the time from the clock of the machine.
      const now = Date.now();
      const signing = { secret: configured, now, url: URL_OF_OURS };
      const message = await sign(body(now), { ...signing, secret });
      assert.equal(await verify(message, signing), true);
      assert.equal(await verify({ ...message, body: `${message.body} ` }, signing), false);
      assert.equal(onlyItemOf(await read(message, { now })).type, told.means.type);
    });
};

for (const one of [...WEBHOOK_CASES, ...MORE_WEBHOOK_CASES])
  describe(`a message of ${one.provider}, ${one.means.type},`, () => play(one));
