import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createTestApp } from '../../../test/harness/app.ts';
import { useStage } from '../../../test/harness/use-stage.ts';

const MOST_BYTES = 6_144;

describe('/connect.js', () => {
  const stage = useStage(() => createTestApp('sqlite'));
  const get = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    stage.server.inject({ method, url: '/connect.js', headers });

  test('is small, and one file without dependencies', async () => {
    const answer = await get({ 'accept-encoding': 'br, gzip' });
    assert.equal(answer.headers['content-encoding'], 'gzip');
    assert.ok(answer.rawPayload.length <= MOST_BYTES, `${answer.rawPayload.length} bytes`);
    const script = gunzipSync(answer.rawPayload).toString();
    assert.equal((await get()).body, script);
    assert.doesNotMatch(script, /^import |import\(|\beval\b|innerHTML/m);
  });

  test('has the address where the buttons of a copy send their sessions', async () => {
    assert.match((await get()).body, /const HOME="http:\/\/localhost:3000";/);
  });

  test('can be used by pages of any origin, and never with a cookie', async () => {
    const { statusCode, headers } = await get({ origin: 'https://product.example', cookie: 'a=b' });
    assert.equal(statusCode, 200);
    assert.match(String(headers['content-type']), /^text\/javascript/);
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['access-control-allow-credentials'], undefined);
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['set-cookie'], undefined);
  });

  test('is sent again only if it changed', async () => {
    const { headers } = await get();
    const etag = String(headers['etag']);
    assert.match(String(headers['cache-control']), /^public, max-age=\d+$/);
    assert.equal(headers['vary'], 'accept-encoding');
    const again = await get({ 'if-none-match': `"other", ${etag}`, 'accept-encoding': 'gzip' });
    assert.deepEqual([again.statusCode, again.body, again.headers['etag']], [304, '', etag]);
    assert.equal((await get({ 'if-none-match': 'W/"other"' })).statusCode, 200);
    const head = await get({}, 'HEAD');
    assert.deepEqual([head.statusCode, head.body], [200, '']);
  });
});
