// Attack: a request through the proxy that is refused so early that the response could be taken for the provider's.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { exchangeBytes, listenOnLoopback } from '../harness/raw-http.ts';
import { useStage } from '../harness/use-stage.ts';

const PROXY = '/api/integrations/github/proxy';
const HOST = 'Host: localhost\r\n';

describe('a request through the proxy that is refused', () => {
  const stage = useStage(() => createTestApp('sqlite'));
  let port: number;
  before(async () => {
    port = await listenOnLoopback(stage.server);
  });

  for (const [why, status, request] of [
    ['the URL is malformed', 400, `GET ${PROXY}/%zz HTTP/1.1\r\n${HOST}`],
    ['the name of the provider is malformed', 400, `GET /api/integrations/%ff/proxy/x HTTP/1.1\r\n${HOST}`],
    ['the URL is too long', 414, `GET ${PROXY}/${'x'.repeat(9_000)} HTTP/1.1\r\n${HOST}`],
    ['there is no path', 404, `GET ${PROXY} HTTP/1.1\r\n${HOST}`],
    ['there is no such method', 405, `OPTIONS ${PROXY}/x HTTP/1.1\r\n${HOST}`],
    ['nobody is known', 401, `GET ${PROXY}/x HTTP/1.1\r\n${HOST}`],
    ['the headers are too large', 431, `GET ${PROXY}/x HTTP/1.1\r\n${HOST}X-Large: ${'x'.repeat(20_000)}\r\n`],
    ['it is no HTTP', 400, `GET ${PROXY}/x HTTP/1.1\r\n${HOST}broken header\r\n`],
    ['it expects something', 417, `POST ${PROXY}/x HTTP/1.1\r\n${HOST}Expect: a-miracle\r\n`],
  ] as const)
    test(`because ${why} says that Patchbay has refused it`, async () => {
      const [answer] = await exchangeBytes(port, `${request}Connection: close\r\n\r\n`);
      assert.equal(answer?.status, status, answer?.body);
      assert.equal(answer.headers['patchbay-from'], 'patchbay');
      assert.match(answer.headers['content-type'] ?? '', /^application\/problem\+json/);
    });
});
