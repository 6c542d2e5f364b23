import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bandwidth } from './index.ts';

const RECORDING = 'r-fbe05094-9fd2afe9-bf5b-4c68-820a-41a01c1c5833';
const CALL = 'https://voice.bandwidth.com/api/v2/accounts/9900778/calls/c-15ac29a2-1331029c';
const recording = { recordingId: RECORDING, mediaUrl: `${CALL}/recordings/${RECORDING}/media` };
const account = {
  accountId: '9900778',
  secrets: [{ id: 's1', value: 'patchbay:callback-password' }],
  api: { clientId: 'archive', clientSecret: 'client-secret' },
};
const expected = {
  headers: {},
  hosts: ['voice.bandwidth.com'],
  redirectHosts: [],
  token: {
    url: 'https://api.bandwidth.com/api/v1/oauth2/token',
    headers: {
      authorization: `Basic ${btoa('archive:client-secret')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
    hosts: ['api.bandwidth.com'],
  },
};

describe('a recording', () => {
  test('is fetched from an address made of ids, with a token that is had for the credentials of the API', async () => {
    assert.deepEqual(await bandwidth.mediaOf(recording, account), {
      url: `${CALL}/recordings/${RECORDING}/media`,
      ...expected,
    });
  });

  test('is removed with everything about it', async () => {
    assert.deepEqual(await bandwidth.removalOf(recording, account), {
      url: `${CALL}/recordings/${RECORDING}`,
      ...expected,
    });
  });

  test('waits for the credentials: what verifies deliveries fetches nothing', async () => {
    for (const api of [{}, { clientId: 'archive' }, { clientSecret: 'secret' }, { clientId: '', clientSecret: '' }])
      assert.deepEqual(await bandwidth.mediaOf(recording, { ...account, api }), {
        missing: 'api.clientId and api.clientSecret',
      });
    assert.deepEqual(await bandwidth.mediaOf(recording, { ...account, accountId: null }), {
      missing: 'the account ID',
    });
  });

  const path = `/api/v2/accounts/9900778/calls/c-1/recordings/${RECORDING}/media`;
  for (const mediaUrl of [
    null,
    '',
    `http://voice.bandwidth.com${path}`,
    `https://evil.example.test${path}`,
    `https://voice.bandwidth.com.evil.example.test${path}`,
    `https://voice.bandwidth.com@evil.example.test${path}`,
    `https://evil.example.test/https://voice.bandwidth.com${path}`,
    `https://voice.bandwidth.com:8443${path}`,
    `https://voice.bandwidth.com${path}?x=1`,
    `https://voice.bandwidth.com${path}#x`,
    `https://voice.bandwidth.com${path}\n`,
    `https://voice.bandwidth.com${path.replace('c-1', '..')}`,
    `https://voice.bandwidth.com${path.replace('c-1', 'c-1%2f..')}`,
    `https://voice.bandwidth.com${path.replace('9900778', '9900779')}`,
    `https://voice.bandwidth.com${path.replace(RECORDING, 'r-another')}`,
    `https://voice.bandwidth.com${path.replace('/media', '')}`,
  ])
    test(`sends no credentials for ${JSON.stringify(mediaUrl)}`, async () => {
      assert.ok('missing' in (await bandwidth.mediaOf({ ...recording, mediaUrl }, account)));
      assert.ok('missing' in ((await bandwidth.removalOf({ ...recording, mediaUrl }, account)) ?? {}));
    });

  test('sends none to any other host, whatever the address', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.webUrl(), fc.string()), fc.string(), async (mediaUrl, recordingId) => {
        const answer = await bandwidth.mediaOf({ recordingId, mediaUrl }, account);
        assert.ok('missing' in answer || new URL(answer.url).host === 'voice.bandwidth.com');
      }),
    );
  });
});
