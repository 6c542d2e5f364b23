import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forms } from './fixtures/deliveries.ts';
import { telnyx } from './index.ts';

const ID = '35094891-3290-4142-b2c2-b2eda57534cf';
const account = { accountId: null, secrets: [{ id: 's1', value: 'public' }], api: { key: 'KEY0123456789' } };
const fetchOf = (mediaUrl: string | null) => telnyx.mediaOf({ recordingId: ID, mediaUrl }, account);

describe('a recording', () => {
  test('is fetched where it is kept, with no credential', () => {
    for (const [url, host] of [
      [forms['recordingDone']?.['RecordingUrl'] ?? '', 's3.amazonaws.com'],
      [
        'https://s3.eu-central-1.amazonaws.com/telephony-recorder-prod-fr5/a/b.wav?X-Amz-Signature=1',
        's3.eu-central-1.amazonaws.com',
      ],
      [
        'https://telephony-recorder-prod.s3.us-east-1.amazonaws.com/a/b.wav',
        'telephony-recorder-prod.s3.us-east-1.amazonaws.com',
      ],
      ['https://api.telnyx.com/v2/media/b.mp3', 'api.telnyx.com'],
    ] as const)
      assert.deepEqual(fetchOf(url), { url, headers: {}, hosts: [host], redirectHosts: [] });
  });

  test('is not fetched from anywhere else', () => {
    for (const url of [
      null,
      '',
      'not an address',
      'http://s3.amazonaws.com/telephony-recorder-prod/a.wav',
      'https://s3.amazonaws.com/another-bucket/telephony-recorder-prod/a.wav',
      'https://s3.amazonaws.com/another/../telephony-recorder-prodigy.wav',
      'https://s3.amazonaws.com:8443/telephony-recorder-prod/a.wav',
      'https://user:pass@s3.amazonaws.com/telephony-recorder-prod/a.wav',
      'https://s3.amazonaws.com.evil.example/telephony-recorder-prod/a.wav',
      'https://telephony-recorder-prod.evil.s3.amazonaws.com/a.wav',
      'https://telephony-recorder-prod.s3.amazonaws.com.evil.example/a.wav',
      'https://evil-telephony-recorder-prod.s3.amazonaws.com/a.wav',
      'https://evil-s3.amazonaws.com/telephony-recorder-prod/a.wav',
      'https://eviltelnyx.com/a.wav',
      'https://169.254.169.254/latest',
      's3://bucket/a',
    ])
      assert.ok('missing' in fetchOf(url), String(url));
  });

  test('is removed by its id with the API key, where both are known', () => {
    assert.deepEqual(telnyx.removalOf({ recordingId: ID, mediaUrl: null }, account), {
      url: `https://api.telnyx.com/v2/recordings/${ID}`,
      headers: { authorization: 'Bearer KEY0123456789' },
      hosts: ['api.telnyx.com'],
      redirectHosts: [],
    });
    assert.deepEqual(telnyx.removalOf({ recordingId: ID, mediaUrl: null }, { ...account, api: {} }), {
      missing: 'an API key (api.key)',
    });
    for (const recordingId of ['event 0ccc7b54', `../${ID}`, ''])
      assert.equal(telnyx.removalOf({ recordingId, mediaUrl: null }, account), null);
  });
});

test('what an admin types in is checked, and the addresses are handed out', () => {
  const { accountId, secret, api } = telnyx.rules;
  assert.match('f5586561-8ff0-4291-a51b-c7dfe4139ff9', accountId?.pattern ?? /$^/);
  assert.match('6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=', secret.pattern);
  assert.doesNotMatch('KEY0123456789', secret.pattern);
  assert.match('KEY0123456789_abc', api['key']?.pattern ?? /$^/);
  const advice = telnyx.advise({
    voice: 'https://h.test/voice?account=a',
    recording: 'https://h.test/recording?account=a',
  });
  assert.equal(advice.voiceUrl, 'https://h.test/voice?account=a');
  assert.equal(advice.statusUrl, 'https://h.test/voice?account=a&step=status');
});
