import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, test } from 'node:test';
import { startTestInternet, type TestInternet } from '../../../test/harness/test-internet.ts';
import { bringToken } from './bring-token.ts';

const media = {
  url: 'https://storage.test/recordings/1',
  headers: { accept: 'audio/*' },
  hosts: ['storage.test'],
  redirectHosts: [],
  token: {
    url: 'https://provider.test/oauth2/token',
    headers: { authorization: 'Basic Y2xpZW50OnNlY3JldA==', 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
    hosts: ['provider.test'],
  },
};
const { signal } = new AbortController();

describe('a token for a recording', () => {
  let internet: TestInternet;
  afterEach(() => internet.close());

  const ask = async (answer: RequestListener, asked = media) => {
    internet = await startTestInternet(answer);
    return bringToken(internet, asked, signal);
  };
  const answerWith =
    (status: number, body: string): RequestListener =>
    (_request, response) => {
      response.writeHead(status).end(body);
    };

  test('is obtained for the credentials, which go no further', async () => {
    let heard = '';
    const brought = await ask(async (request, response) => {
      heard = `${request.method} ${request.url} ${request.headers.authorization} ${await text(request)}`;
      response.end('{"access_token":"bearer-of-an-hour","expires_in":3600}');
    });
    assert.equal(heard, `POST /oauth2/token ${media.token.headers.authorization} ${media.token.body}`);
    assert.deepEqual(brought, {
      url: media.url,
      headers: { accept: 'audio/*', authorization: 'Bearer bearer-of-an-hour' },
      hosts: media.hosts,
      redirectHosts: [],
    });
  });

  test('is not requested if none is needed', async () => {
    const { token: _, ...plain } = media;
    internet = await startTestInternet(() => assert.fail('Nobody is asked.'));
    assert.deepEqual(await bringToken(internet, plain, signal), plain);
  });

  for (const [what, status, body, outlook] of [
    ['the credentials are refused', 401, '{"error":"invalid_client"}', 'waits'],
    ['the credentials are wrong', 400, '{}', 'waits'],
    ['the provider is in trouble', 503, '', 'again'],
    ['the answer is no token', 200, '<html>', 'again'],
    ['the token is nothing', 200, '{"access_token":""}', 'again'],
    ['the token is no text', 200, '{"access_token":{}}', 'again'],
  ] as const)
    test(`is missing if ${what}, and nothing is fetched with the credentials instead`, async () => {
      const brought = await ask(answerWith(status, body));
      assert.ok('problem' in brought);
      assert.equal(brought.outlook, outlook);
      assert.doesNotMatch(brought.problem, /secret|Y2xp/);
    });

  test('is requested at the hosts the provider named, and nowhere else', async () => {
    const elsewhere = { ...media, token: { ...media.token, hosts: ['storage.test'] } };
    const brought = await ask(answerWith(200, '{"access_token":"x"}'), elsewhere);
    assert.ok('problem' in brought && brought.outlook === 'final');
  });
});
