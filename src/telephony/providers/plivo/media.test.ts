import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { plivo } from './index.ts';

const AUTH_ID = 'MAXXXXXXXXXXXXXXXXXX';
const RECORDING = '5b7f2c10-7d4e-11ef-9c1b-0242ac110004';
const account = { accountId: AUTH_ID, secrets: [{ id: 's1', value: 'token' }], api: {} };
const authorization = `Basic ${Buffer.from(`${AUTH_ID}:token`).toString('base64')}`;

const mediaOf = async (mediaUrl: string | null, recordingId = RECORDING) => {
  const answer = await plivo.mediaOf({ recordingId, mediaUrl }, account);
  assert.ok('url' in answer);
  return answer;
};

describe('where a recording is fetched', () => {
  test('is made of ids, and asked for with the Auth ID and token', async () => {
    assert.deepEqual(await mediaOf(null), {
      url: `https://media.plivo.com/v1/Account/${AUTH_ID}/Recording/${RECORDING}.mp3`,
      headers: { authorization },
      hosts: ['media.plivo.com'],
      redirectHosts: ['.plivo.com', '.amazonaws.com'],
    });
  });

  test('is in the region and of the format that the payload says', async () => {
    const regional = `https://aps1.media.plivo.com/v1/Account/SAXXXXXXXXXXXXXXXXXX/Recording/${RECORDING}.wav`;
    const { url, hosts } = await mediaOf(regional);
    assert.equal(url, regional);
    assert.deepEqual(hosts, ['aps1.media.plivo.com']);
  });

  test('is never anywhere else, whatever the payload says', async () => {
    for (const mediaUrl of [
      `http://media.plivo.com/v1/Account/${AUTH_ID}/Recording/x.mp3`,
      `https://media.plivo.com@evil.test/v1/Account/${AUTH_ID}/Recording/x.mp3`,
      `https://evil.test/media.plivo.com/v1/Account/${AUTH_ID}/Recording/x.mp3`,
      `https://evilmedia.plivo.com.test/v1/Account/${AUTH_ID}/Recording/x.mp3`,
      `https://evil.test#.media.plivo.com/v1/Account/${AUTH_ID}/Recording/x.mp3`,
      `https://media.plivo.com/v1/Account/../../x/Recording/x.mp3`,
      `https://aps1.media.plivo.com/v1/Account/${AUTH_ID}/Recording/x.wav?y`,
      `https://aps1.media.plivo.com/v1/Account/${AUTH_ID}/Recording/x.wav/../../Call`,
      'http://s3.amazonaws.com/recordings_2013/x.mp3',
      'file:///etc/passwd',
      'not an address',
    ])
      assert.deepEqual(await mediaOf(mediaUrl), await mediaOf(null), mediaUrl);
    assert.match((await mediaOf(null, '../../Call/x?y')).url, /\/Recording\/\.\.%2F\.\.%2FCall%2Fx%3Fy\.mp3$/);
  });

  test('is not known without the Auth ID or a token', async () => {
    const locator = { recordingId: RECORDING, mediaUrl: null };
    for (const ask of [plivo.mediaOf, plivo.removalOf]) {
      assert.deepEqual(await ask(locator, { ...account, accountId: null }), { missing: 'the Auth ID of the account' });
      assert.deepEqual(await ask(locator, { ...account, secrets: [] }), { missing: 'the Auth Token of the account' });
    }
  });
});

test('a recording is removed at the API, which leads nowhere else', async () => {
  assert.deepEqual(await plivo.removalOf({ recordingId: RECORDING, mediaUrl: 'https://evil.test/x' }, account), {
    url: `https://api.plivo.com/v1/Account/${AUTH_ID}/Recording/${RECORDING}/`,
    headers: { authorization },
    hosts: ['api.plivo.com'],
    redirectHosts: [],
  });
});

describe('an account', () => {
  test('is an Auth ID and a token', () => {
    const { accountId, secret, api } = plivo.rules;
    assert.ok(accountId);
    for (const right of [AUTH_ID, 'SAXXXXXXXXXXXXXXXXXX']) assert.ok(accountId.pattern.test(right), right);
    for (const wrong of ['', 'MA1', `${AUTH_ID}X`, AUTH_ID.toLowerCase(), `AC${'0'.repeat(18)}`])
      assert.equal(accountId.pattern.test(wrong), false, wrong);
    assert.ok(secret.pattern.test('ODgxYmM1NzE5YjNmNDE4YjkyYjE0ZDc0Y2Y2MDUx'));
    assert.deepEqual(api, {});
  });

  test('is set up with addresses that are tried again', () => {
    const advice = plivo.advise({
      voice: 'https://h.test/voice?account=a1',
      recording: 'https://h.test/rec?account=a1',
    });
    assert.equal(advice.voiceUrl, 'https://h.test/voice?account=a1#rc=3&rp=ct,rt,5xx');
    assert.equal(advice.statusUrl, 'https://h.test/voice?account=a1&step=status#rc=3&rp=ct,rt,5xx');
    assert.equal(advice.recordingUrl, 'https://h.test/rec?account=a1#rc=3&rp=ct,rt,5xx');
  });
});
