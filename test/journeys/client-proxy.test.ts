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

  test('a named host is found by its address, and any other address is refused', async () => {
    const { patchbay } = await connected();
    const call = patchbay.fetchOf(PROVIDER);
    assert.equal((await call(`${stage.api.url}/uploads/file`)).status, 200);
    assert.equal(stage.api.received[0]?.url, '/uploads/file');
    await assert.rejects(call(`${stage.api.url}/v2/me`), { code: 'client.address_refused' });
    assert.equal(stage.api.received.length, 1);
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
