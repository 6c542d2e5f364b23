import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  sendFromProvider,
  sendJson,
  sendProblem,
  startCounterpart,
} from '../../../test/harness/patchbay-counterpart.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { Patchbay } from './index.ts';

const PROVIDERS = [
  { id: 'github', api: { url: 'https://api.github.test', hosts: { uploads: 'https://uploads.github.test/up' } } },
  { id: 'deep', api: { url: 'https://deep.test/api', hosts: { files: 'https://deep.test/api/files' } } },
  { id: 'zendesk', api: { url: 'https://{subdomain}.zendesk.test/api/v2', hosts: {} } },
  { id: 'pipedrive', api: { url: '{api_domain}/v1', hosts: {} } },
  { id: 'intercom', api: { url: 'https://api.{region}intercom.test', hosts: {} } },
  { id: 'salesforce', api: { url: '{instance_url}', hosts: { login: 'https://{hostname}/services/oauth2' } } },
  { id: 'jira', api: { url: 'https://{+base}/rest/api/latest', hosts: {} } },
  { id: 'none', api: null },
];

describe('a fetch for a library', () => {
  const there = useStage(startCounterpart);
  const open = (provider: string, choice: { connection?: string; host?: string } = {}) => {
    there.answer(({ url }, response) =>
      url.endsWith('/providers') ? sendJson(response, { providers: PROVIDERS }) : sendFromProvider(response, {}),
    );
    return new Patchbay({ url: there.url, token: 'pb_token' }).fetchOf(provider, choice);
  };
  const proxied = () =>
    there.heard
      .filter(({ url }) => url.includes('/proxy'))
      .map(({ url, headers }) => [url.replace(/^.*\/proxy/, ''), headers['patchbay-host'] ?? null]);

  for (const [provider, address, path, host] of [
    ['github', 'https://api.github.test/user?a=1', '/user?a=1', null],
    ['github', 'https://user:pass@API.github.test:443/user#x', '/user', null],
    ['github', 'https://uploads.github.test/up/file', '/file', 'uploads'],
    ['github', '/user', '/user', null],
    // A link comes from the provider, which must not choose another account of the team.
    ['github', 'https://api.github.test/user?a=%20&connection=corp&b=2', '/user?a=%20&b=2', null],
    ['github', 'https://api.github.test/user?%63onnection=corp&Patchbay-Host=uploads', '/user', null],
    ['github', '/user?page=2&connection=corp', '/user?page=2', null],
    ['deep', 'https://deep.test/api/chat.post', '/chat.post', null],
    ['deep', 'https://deep.test/api/files/1', '/1', 'files'],
    ['zendesk', 'https://acme.zendesk.test/api/v2/tickets', '/tickets', null],
    ['pipedrive', 'https://acme.pipedrive.test/v1/deals', '/deals', null],
    ['intercom', 'https://api.intercom.test/me', '/me', null],
    ['intercom', 'https://api.eu.intercom.test/me', '/me', null],
    ['salesforce', 'https://acme.salesforce.test/services/data', '/services/data', null],
    ['salesforce', 'https://acme.salesforce.test/services/oauth2/userinfo', '/userinfo', 'login'],
    ['jira', 'https://jira.acme.test:8443/rest/api/latest/myself', '/myself', null],
    ['jira', 'https://acme.test/tools/jira/rest/api/latest/myself', '/myself', null],
    // If even the host is part of the connection, any host is accepted.
    ['salesforce', 'https://elsewhere.test/services/data', '/services/data', null],
  ] as const)
    test(`sends ${address} to ${host ?? 'the API'} of ${provider}`, async () => {
      await open(provider)(address);
      assert.deepEqual(proxied(), [[path, host]]);
    });

  for (const [provider, address] of [
    ['github', 'https://evil.test/user'],
    ['github', 'http://api.github.test/user'],
    ['github', 'https://api.github.test.evil.test/user'],
    ['github', 'https://api.github.test@evil.test/user'],
    ['github', 'https://uploads.github.test/upper'],
    ['deep', 'https://deep.test/api/../admin'],
    ['zendesk', 'https://evil.test/.zendesk.test/api/v2/tickets'],
    ['pipedrive', 'ftp://acme.test/v1/deals'],
    ['none', 'https://api.none.test/user'],
    ['unknown', 'https://api.unknown.test/user'],
  ] as const)
    test(`refuses ${address} for ${provider}`, async () => {
      await assert.rejects(open(provider)(address), { code: 'client.address_refused' });
      assert.deepEqual(proxied(), []);
    });

  test('looks the addresses up once, and again if that failed', async () => {
    const call = open('github');
    there.answer((_request, response) => sendProblem(response, 500, 'http.internal'));
    assert.equal((await call('https://api.github.test/a')).status, 500);
    open('github');
    await Promise.all(['a', 'b', 'c'].map((path) => call(`https://api.github.test/${path}`)));
    await call(new URL('https://api.github.test/d'));
    assert.equal(there.heard.filter(({ url }) => url.endsWith('/providers')).length, 1);
    assert.equal(proxied().length, 4);
  });

  test('returns what Patchbay refuses as a response, and throws what kept it from asking', async () => {
    const call = open('github');
    there.answer((_request, response) =>
      sendProblem(response, 409, 'integrations.not_connected', { 'retry-after': '7' }),
    );
    for (const address of ['/user', 'https://api.github.test/user']) {
      const { status, headers, ...rest } = await call(address).then(async (response) => ({
        ...{ status: response.status, headers: response.headers, body: await response.json() },
      }));
      assert.equal(status, 409);
      const names = ['content-type', 'patchbay-from', 'retry-after'];
      assert.deepEqual(
        names.map((name) => headers.get(name)),
        ['application/problem+json; charset=utf-8', 'patchbay', '7'],
      );
      assert.equal(Object(rest.body).code, 'integrations.not_connected');
    }
    there.answer((_request, response) => response.writeHead(502).end('<p>Bad gateway'));
    await assert.rejects(call('/user'), { code: 'client.unexpected_response' });
  });

  test("passes on none of a library's own headers that say who is asking, or where the request goes", async () => {
    const theirs = {
      ...{ authorization: 'token of the vendor', cookie: 'session=theirs', 'x-own': 'yes' },
      ...{ 'Patchbay-Team': 'other', 'Patchbay-User': 'other', 'Patchbay-Host': 'uploads' },
    };
    const sentBy = async (call: typeof fetch) => {
      await call('https://api.github.test/user', { headers: theirs });
      const { headers = {} } = there.heard.at(-1) ?? {};
      const names = ['authorization', 'cookie', 'patchbay-team', 'patchbay-user', 'patchbay-host', 'x-own'];
      return names.map((name) => headers[name] ?? null);
    };
    const bearer = 'Bearer pb_token';
    assert.deepEqual(await sentBy(open('github')), [bearer, null, null, null, null, 'yes']);
    const team = new Patchbay({ url: there.url, token: 'pb_token' }).team('acme');
    assert.deepEqual(await sentBy(team.fetchOf('github')), [bearer, null, 'acme', null, null, 'yes']);
    assert.deepEqual(await sentBy(team.as('ann').fetchOf('github')), [bearer, null, 'acme', 'ann', null, 'yes']);
  });

  test('takes a request object, and what was chosen', async () => {
    const call = open('github', { connection: 'work', host: 'uploads' });
    const headers = { authorization: 'token of the vendor', 'x-own': 'yes' };
    await call(new Request('https://api.github.test/items', { method: 'POST', body: 'hi', headers }));
    const sent = there.heard.at(-1);
    assert.deepEqual(proxied(), [['/items?connection=work', null]]);
    assert.deepEqual([sent?.method, sent?.body, sent?.headers['x-own']], ['POST', 'hi', 'yes']);
    assert.equal(sent?.headers.authorization, 'Bearer pb_token');
    await call('/file');
    assert.deepEqual(proxied().at(-1), ['/file?connection=work', 'uploads']);
  });
});
