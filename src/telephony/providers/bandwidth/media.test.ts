import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bandwidth } from './index.ts';

const account = {
  accountId: '9900778',
  secrets: [{ id: 's1', value: 'patchbay:callback-password' }],
  api: { clientId: 'archive', clientSecret: 'client-secret' },
};

test('credentials go to no other host, whatever the URL', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.webUrl(), fc.string()), fc.string(), async (mediaUrl, recordingId) => {
      for (const ask of [bandwidth.mediaOf, bandwidth.removalOf]) {
        const request = (await ask({ recordingId, mediaUrl }, account)) ?? { missing: '' };
        assert.ok('missing' in request || new URL(request.url).host === 'voice.bandwidth.com');
      }
    }),
  );
});
