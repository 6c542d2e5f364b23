// Attack: a provider of one team answers with thousands of tiny relative links. Each becomes as long as the URL of the
// request, so a header of a few kilobytes would become many megabytes, and nobody else would get an answer meanwhile.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const FOLDER = 'x'.repeat(6_000);
const PREFIX = `/api/integrations/acme-full/proxy/${FOLDER}/`;
const MEBIBYTE = 1024 * 1024;
const MOST_HEADER_BYTES = 64 * 1024;

const lengthOf = (headers: object): number => JSON.stringify(headers).length;

describe('a provider that sends very many links', () => {
  const stage = useStage(() => openProxyStage('sqlite'));

  /** Calls the API at a long URL. The response has these headers. */
  const callWith = async (headers: Record<string, string | string[]>) => {
    const { headers: ours } = await stage.connected();
    stage.api.answer((request, response) => {
      request.resume();
      response.writeHead(200, headers).end('{}');
    });
    return stage.call(stage.proxied(`${FOLDER}/list`), { headers: ours, maxHeaderSize: 64 * MEBIBYTE });
  };

  test('gets a few of them passed on, and the others left out', async () => {
    const { status, headers } = await callWith({ link: '<a>; rel="next", '.concat('<b>,'.repeat(3_500)) });
    assert.equal(status, 200);
    assert.ok(String(headers.link).startsWith(`<${PREFIX}a>; rel="next", <${PREFIX}b>`));
    assert.ok(lengthOf(headers) < MOST_HEADER_BYTES, `${lengthOf(headers)} bytes of headers`);
  });

  test('gets no more of them passed on in many headers', async () => {
    const { status, headers } = await callWith({ link: Array(1_000).fill('<b>'), uri: Array(200).fill('c') });
    assert.equal(status, 200);
    assert.ok(lengthOf(headers) < MOST_HEADER_BYTES, `${lengthOf(headers)} bytes of headers`);
  });

  test('gets short ones passed on as before', async () => {
    const links = Array.from({ length: 20 }, (_, page) => `</v1/items?page=${page}>; rel="p${page}"`);
    const { headers } = await callWith({ link: links.join(', ') });
    assert.equal(
      headers.link,
      links.map((link) => link.replace('/v1/', '/api/integrations/acme-full/proxy/')).join(', '),
    );
  });
});
