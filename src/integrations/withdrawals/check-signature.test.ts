import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readRecord } from '../../../test/harness/connect-flow.ts';
import { Secret } from '../../platform/index.ts';
import { createSignatureCheck } from './check-signature.ts';

const signatureOf = (id: string) => readRecord(id).webhook?.signature ?? assert.fail();

/** The example in https://docs.slack.dev/authentication/verifying-requests-from-slack */
const SLACK = {
  secret: '8f742231b10e8888abcd99yyyzzz85a5',
  seconds: 1_531_420_618,
  body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  headers: {
    'x-slack-request-timestamp': '1531420618',
    'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  },
};

/** An example from the tests of Square's own SDKs. */
const SQUARE = {
  secret: 'Ibxx_5AKakO-3qeNVR61Dw',
  url: 'https://webhook.site/679a4f3a-dcfa-49ee-bac5-9d0edad886b9',
  body: '{"merchant_id":"MLEFBHHSJGVHD","type":"webhooks.test_notification","event_id":"ac3ac95b-f97d-458c-a6e6-18981597e05f","created_at":"2022-07-13T20:30:59.037339943Z","data":{"type":"webhooks","id":"bc368e64-01aa-407e-b46e-3231809b1129"}}',
  headers: { 'x-square-hmacsha256-signature': 'GF4YkrJgGBDZ9NIYbNXBnMzqb2HoL4RW/S6vkZ9/2N4=' },
};

const secretsOf = (...texts: string[]) => texts.map((text) => new Secret(text));

describe('the signature of a message', () => {
  const slack = createSignatureCheck(signatureOf('slack'), secretsOf(SLACK.secret), 'https://ours.example');
  const checkSlack = (headers: Record<string, string>, seconds = SLACK.seconds, body = SLACK.body) =>
    slack({ ...SLACK.headers, ...headers }, Buffer.from(body), seconds * 1_000);
  const checkSquare = (headers: Record<string, string>, url = SQUARE.url, secrets = [SQUARE.secret]) =>
    createSignatureCheck(signatureOf('square'), secretsOf(...secrets), url)(headers, Buffer.from(SQUARE.body), 0);

  test("is valid for the providers' own examples", () => {
    assert.ok(checkSlack({}));
    assert.ok(checkSquare(SQUARE.headers));
  });

  test('holds for one body, one URL and one secret', () => {
    assert.ok(!checkSlack({}, SLACK.seconds, `${SLACK.body} `));
    assert.ok(!checkSquare(SQUARE.headers, `${SQUARE.url}/`));
    assert.ok(!checkSquare(SQUARE.headers, SQUARE.url, ['another']));
    assert.ok(!checkSquare(SQUARE.headers, SQUARE.url, []));
  });

  test('may be made with any of several secrets', () => {
    assert.ok(checkSquare(SQUARE.headers, SQUARE.url, ['another', SQUARE.secret]));
    assert.ok(checkSquare(SQUARE.headers, SQUARE.url, [SQUARE.secret, 'another']));
  });

  test('expires, and the time is part of it', () => {
    for (const seconds of [-300, 300]) assert.ok(checkSlack({}, SLACK.seconds + seconds), String(seconds));
    for (const seconds of [-301, 301]) assert.ok(!checkSlack({}, SLACK.seconds + seconds), String(seconds));
    const later = SLACK.seconds + 301;
    assert.ok(!checkSlack({ 'x-slack-request-timestamp': String(later) }, later));
    for (const odd of ['', '1531420618.0', ' 1531420618', '1e9', '-1', 'now', '9'.repeat(400)])
      assert.ok(!checkSlack({ 'x-slack-request-timestamp': odd }), odd);
  });

  test('is written exactly as the provider writes it', () => {
    const [, hex = ''] = SLACK.headers['x-slack-signature'].split('=');
    for (const odd of ['', 'v0=', hex, `v1=${hex}`, `v0=${hex.toUpperCase()}`, `v0=${hex} `, `v0=${hex},v0=${hex}`])
      assert.ok(!checkSlack({ 'x-slack-signature': odd }), odd);
    assert.ok(!checkSquare({}));
  });
});
