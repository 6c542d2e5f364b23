import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkPath } from '../../src/integrations/proxy/check-path.ts';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { exchangeBytes, printRequest } from '../harness/raw-http.ts';
import { useStage } from '../harness/use-stage.ts';

/** Each would lead out of the API at some provider, however it reads paths. */
const ESCAPES = [
  '..',
  '../admin',
  'a/../../admin',
  './x',
  'a/.',
  'a/..',
  '%2e%2e/admin',
  '%2E%2e%2Fadmin',
  '.%2e/admin',
  '%252e%252e/admin',
  '%252e%252e%252fadmin',
  '..%2fadmin',
  '..%5cadmin',
  '..\\admin',
  'a\\b',
  'a%5cb',
  'a%255cb',
  '..;/admin',
  'a/..;x=1/admin',
  '%2e%2e%3b/admin',
  '/evil.example',
  '//evil.example',
  '%2fevil.example',
  '%252fevil.example',
  '%2F%2Fevil.example/x',
  'a%00b',
  'a%0d%0ax',
  'a%250d%250ax',
  'a%09b',
  'a%7fb',
  '%c0%ae%c0%ae/admin',
  '%c0%afadmin',
  '%ef%bc%8e%ef%bc%8e/admin',
  '%e2%80%a4%e2%80%a4/admin',
  '%e2%80%a5/admin',
  'a#b',
] as const;

const FINE = [
  '',
  'user',
  'projects/group%2Fname/issues',
  'a..b/c...d',
  '.well-known/x',
  'files/100%25',
  'a%252Fb',
  'search@2x',
  'http://elsewhere.example/x',
  'v1:batch',
  "it's(fine)!*;a=1,b~",
  'caf%C3%A9',
  'a//b/',
] as const;

describe('a path through the proxy', () => {
  const stage = useStage(() => openProxyStage('sqlite'));

  for (const path of ESCAPES)
    test(`can't lead out of the API: ${JSON.stringify(path)}`, () => {
      assert.throws(() => checkPath(path), { code: 'proxy.path_refused' });
    });

  test('is refused with a 400 before anything is sent', async () => {
    const { headers } = await stage.connected();
    for (const path of ESCAPES) {
      const sent = printRequest(stage.proxied(path), {
        headers: [
          ['Host', 'localhost:3000'],
          ['Authorization', headers.authorization],
        ],
      });
      const [answer] = await exchangeBytes(stage.port, sent);
      assert.ok(answer && answer.status >= 400 && answer.status < 500, `${path}: ${answer?.status}`);
    }
    assert.equal(stage.api.received.length, 0);
  });

  test('that is fine arrives byte for byte', async () => {
    const { headers } = await stage.connected();
    stage.api.reset();
    for (const path of FINE) assert.equal((await stage.call(stage.proxied(path), { headers })).status, 200, path);
    assert.deepEqual(
      stage.api.received.map(({ url }) => url),
      FINE.map((path) => (path === '' ? '/v1' : `/v1/${path}`)),
    );
  });

  test('and a query are passed on without being filled in or read', async () => {
    const { headers } = await stage.connected();
    stage.api.reset();
    const query = 'q={access_token}&x=$%7Baccess_token%7D&next=../..//evil&a=%2e%2e&empty=&flag';
    assert.equal((await stage.call(stage.proxied(`find/%7Baccess_token%7D?${query}`), { headers })).status, 200);
    assert.equal(stage.api.received[0]?.url, `/v1/find/%7Baccess_token%7D?${query}`);
  });
});
