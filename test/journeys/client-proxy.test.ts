import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { Octokit } from '@octokit/core';
import { Patchbay } from '../../packages/client/src/index.ts';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const PROVIDER = 'acme-full';

describe("the client and a provider's API", () => {
  const stage = useStage(() => openProxyStage('sqlite'));
  afterEach(async () => {
    stage.api.reset();
    await stage.removeConnections();
  });

  const connected = async () => {
    const { admin, at } = await stage.connected();
    return { at, patchbay: new Patchbay({ url: `http://127.0.0.1:${stage.port}`, token: admin.token }) };
  };

  test("a vendor's library works through the proxy, with the connection's credential", async () => {
    const { at, patchbay } = await connected();
    const octokit = new Octokit({
      baseUrl: `${stage.api.url}/v1`,
      auth: 'a-token-of-the-vendor',
      request: { fetch: patchbay.fetchOf(PROVIDER) },
    });
    stage.api.answer(async (request, response) => {
      await stage.api.note(request);
      response.setHeader('content-type', 'application/json').end('{"login":"octocat"}');
    });
    const { data } = await octokit.request('POST /repos/{owner}/{repo}/issues', {
      ...{ owner: 'acme', repo: 'app', title: 'It works' },
    });
    assert.deepEqual(data, { login: 'octocat' });
    const [received] = stage.api.received;
    assert.deepEqual([received?.method, received?.url], ['POST', '/v1/repos/acme/app/issues']);
    assert.equal(received?.body, '{"title":"It works"}');
    assert.equal(received?.headers.authorization, `Bearer ${await at.token(PROVIDER)}`);
  });

  /** Answers with three pages of one number each, linked as GitHub does. */
  const answerInPages = (): void =>
    stage.api.answer(async (request, response) => {
      await stage.api.note(request);
      const url = new URL(request.url ?? '', stage.api.url);
      const page = Number(url.searchParams.get('page') ?? 1);
      url.searchParams.set('page', String(page + 1));
      if (page < 3) response.setHeader('link', `<${url.href}>; rel="next", <${stage.api.url}/v1/first>; rel="first"`);
      response.setHeader('content-type', 'application/json').end(JSON.stringify([page]));
    });

  const readPages = async (octokit: Octokit): Promise<unknown[]> => {
    const numbers: unknown[] = [];
    for (let next: string | undefined = '/items?per_page=1'; next; ) {
      const response: Awaited<ReturnType<Octokit['request']>> = await octokit.request(`GET ${next}`);
      numbers.push(...response.data);
      next = /<([^<>]+)>; rel="next"/.exec(response.headers.link ?? '')?.[1];
    }
    return numbers;
  };

  test("a vendor's library that only knows another address pages through the proxy, with an access token", async () => {
    const { admin, at } = await stage.connected();
    answerInPages();
    const origins: string[] = [];
    const octokit = new Octokit({
      baseUrl: 'http://localhost:3000/api/integrations/acme-full/proxy',
      auth: admin.token,
      request: {
        fetch: (address: string, init: RequestInit) => {
          const { origin, pathname, search } = new URL(address);
          origins.push(origin);
          return fetch(`http://127.0.0.1:${stage.port}${pathname}${search}`, init);
        },
      },
    });
    assert.deepEqual(await readPages(octokit), [1, 2, 3]);
    assert.deepEqual(origins, Array(3).fill('http://localhost:3000'));
    assert.deepEqual(
      stage.api.received.map(({ url, headers }) => [url, headers.authorization]),
      await Promise.all(
        ['', '&page=2', '&page=3'].map(async (page) => [
          `/v1/items?per_page=1${page}`,
          `Bearer ${await at.token(PROVIDER)}`,
        ]),
      ),
    );
  });

  test("a vendor's library with the client's fetch pages with the provider's own links", async () => {
    const { patchbay } = await connected();
    answerInPages();
    const octokit = new Octokit({ baseUrl: `${stage.api.url}/v1`, request: { fetch: patchbay.fetchOf(PROVIDER) } });
    assert.deepEqual(await readPages(octokit), [1, 2, 3]);
  });

  test('a named host is found by its address, and any other address is refused', async () => {
    const { patchbay } = await connected();
    const call = patchbay.fetchOf(PROVIDER);
    assert.equal((await call(`${stage.api.url}/uploads/file`)).status, 200);
    assert.equal(stage.api.received[0]?.url, '/uploads/file');
    await assert.rejects(call(`${stage.api.url}/v2/me`), { code: 'client.address_refused' });
    assert.equal(stage.api.received.length, 1);
  });

  test("a vendor's library says that nothing is connected", async () => {
    const { patchbay } = await connected();
    await patchbay.integrations.disconnect(PROVIDER);
    const octokit = new Octokit({ baseUrl: `${stage.api.url}/v1`, request: { fetch: patchbay.fetchOf(PROVIDER) } });
    const error = await octokit.request('GET /me').catch((reason: unknown) => Object(reason));
    assert.deepEqual([error.status, error.response.headers['patchbay-from']], [409, 'patchbay']);
    assert.match(error.message, /integrations\.not_connected/);
  });

  test("the provider's refusals are returned, and Patchbay's are thrown", async () => {
    const { patchbay } = await connected();
    stage.api.answer((_request, response) => response.writeHead(429, { 'retry-after': '1' }).end('slow down'));
    const response = await patchbay.fetch(PROVIDER, '/me');
    assert.deepEqual([response.status, await response.text()], [429, 'slow down']);
    await assert.rejects(patchbay.fetch(PROVIDER, '/me', { host: 'evil' }), { code: 'proxy.host_unknown' });
    await assert.rejects(patchbay.fetch(PROVIDER, '//evil.test'), { code: 'proxy.path_refused', status: 400 });
    await patchbay.integrations.disconnect(PROVIDER);
    await assert.rejects(patchbay.fetch(PROVIDER, '/me'), { code: 'integrations.not_connected', status: 409 });
  });
});
