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
  'x/..%3fy',
  'x/%2e%2e%3f',
  'x/..%23y',
  'x/..%253fy',
  'x/..%2523',
  '..%20/admin',
  '.%e2%80%8b./admin',
  '..%ef%bc%8fadmin',
  '..%ef%bc%bcadmin',
  '%e0%80%ae%e0%80%ae/admin',
  '..%e0%80%afadmin',
  '%f0%80%80%ae%f0%80%80%ae/admin',
  '%f8%80%80%80%ae/admin',
  '%fc%80%80%80%80%ae/admin',
  '%25e0%2580%25ae/admin',
  '%25e0%80%ae/admin',
  '%25ae%25ae/admin',
  'x%25af%25ae%25ae%25afadmin',
  '%80%ae/x',
  '%u002e%u002e/admin',
  '%25u002e%25u002e/admin',
  '..%25u2215admin/..',
  // What isn't UTF-8 can't be told apart from such tricks.
  'caf%E9',
  '100%',
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
  'what%3F/yes%23no',
  'what%3F../a%23.',
  'r%C3%A9sum%C3%A9%20%E2%80%A6.pdf',
  '%E3%83%AC%E3%83%9D%E3%83%BC%E3%83%88%EF%BC%8F2026.pdf',
  'files/20%25Deal.pdf',
  'files/5%2595.csv',
  'a%2Fb%2F...%2Fc',
  'v1.2/items/3.4.5/.env',
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

  test('is the same if the client sends the whole URL, and cannot lead out of the API either', async () => {
    const { headers } = await stage.connected();
    stage.api.reset();
    const ask = async (path: string) => {
      const target = `http://localhost:3000${stage.proxied(path)}`;
      const all = { headers: [['Host', 'localhost:3000'] as const, ['Authorization', headers.authorization] as const] };
      const [answer] = await exchangeBytes(stage.port, printRequest(target, all));
      return answer?.status;
    };
    assert.equal(await ask('repos/a%2Fb?page=2'), 200);
    assert.deepEqual(
      stage.api.received.map(({ url }) => url),
      ['/v1/repos/a%2Fb?page=2'],
    );
    for (const path of ['../admin', '%2e%2e/admin', '/evil.example']) assert.equal(await ask(path), 400, path);
    assert.equal(stage.api.received.length, 1);
  });

  test('and a query are passed on without being filled in or read', async () => {
    const { headers } = await stage.connected();
    stage.api.reset();
    const query = 'q={access_token}&x=$%7Baccess_token%7D&next=../..//evil&a=%2e%2e&empty=&flag';
    assert.equal((await stage.call(stage.proxied(`find/%7Baccess_token%7D?${query}`), { headers })).status, 200);
    assert.equal(stage.api.received[0]?.url, `/v1/find/%7Baccess_token%7D?${query}`);
  });
});
