import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders } from 'node:http';
import { afterEach, describe, test } from 'node:test';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** What a provider may make of the address that it was called with. */
const REPEATED: Record<string, (url: string, token: string) => OutgoingHttpHeaders> = {
  'a sign-in page that leads back': (url) => ({ location: `/login?next=${encodeURIComponent(url)}` }),
  'the same, encoded twice': (url) => ({ location: `/login?next=${encodeURIComponent(encodeURIComponent(url))}` }),
  'the same in Base64': (url) => ({ location: `/login?next=${base64(url)}` }),
  'the same in Base64, one byte later': (url) => ({ location: `/login?next=${base64(`x${url}`)}` }),
  'the same in Base64, two bytes later': (url) => ({ location: `/login?next=${base64(`xx${url}`)}` }),
  'every character encoded': (_, token) => ({
    location: `/x?k=${Buffer.from(token).toString('hex').replace(/../g, '%$&')}`,
  }),
  'more often encoded than anyone would': (_, token) => ({ location: `/x?k=%${'25'.repeat(9)}41${token.slice(0, 1)}` }),
  'a fragment': (_, token) => ({ location: `/app#api_key=${token}` }),
  'a path': (_, token) => ({ location: `/by-key/${token}` }),
  'another field': (_, token) => ({ location: `/x?key=${token}` }),
  'capital letters': (_, token) => ({ location: `/x?key=${token.toUpperCase()}` }),
  'a title': (_, token) => ({ link: `</x>; rel="self"; title="${token}"` }),
  'the address of the content': (url, token) => ({ 'content-location': `${url}#${token}` }),
  'any other header': (url) => ({ 'x-original-url': url, 'x-debug': `key ${url}` }),
};

describe('a credential that is sent in the query', () => {
  const stage = useStage(() => openProxyStage('sqlite', { credential: { query: 'api_key' } }));
  afterEach(() => stage.api.reset());

  for (const query of ['q=1', 'ids=1,2', "name=O'Brien", 'a=1;b=2', 'q=%22x%22', 'tag="x"', 'q=<x>', ''])
    test(`is taken out of a redirect and a link that repeat it: ?${query}`, async () => {
      const { headers, at } = await stage.connected();
      const token = await at.token('acme-full');
      stage.api.answer((request, response) => {
        request.resume();
        const [path, search] = (request.url ?? '').split('?');
        assert.ok(search?.includes(`api_key=${token}`));
        response.writeHead(301, { location: `${path}/?${search}`, link: `<${path}?${search}>; rel="self"` }).end();
      });
      const answer = await stage.call(stage.proxied(`items${query === '' ? '' : `?${query}`}`), { headers });
      assert.ok(!JSON.stringify(answer.headers).includes(token), 'The caller sees the credential.');
      const { search } = new URL(`http://localhost/?${query}`);
      if (query !== 'q=<x>') assert.equal(answer.headers.location, `/api/integrations/acme-full/proxy/items/${search}`);
    });

  for (const [what, repeat] of Object.entries(REPEATED))
    test(`is not returned in another form: ${what}`, async () => {
      const { headers, at } = await stage.connected();
      const token = await at.token('acme-full');
      let repeated: string[] = [];
      stage.api.answer((request, response) => {
        request.resume();
        const theirs = repeat(request.url ?? '', token);
        repeated = Object.keys(theirs);
        response.writeHead(302, theirs).end();
      });
      const answer = await stage.call(stage.proxied('items'), { headers });
      assert.equal(answer.status, 302);
      for (const name of repeated) assert.equal(answer.headers[name], undefined);
    });

  test('leaves everything else as it is', async () => {
    const { headers } = await stage.connected();
    const theirs = {
      location: 'https://api.example/next?a=%2541&b=1;2,3&&c=%E9&api_key=',
      link: '<https://api.example/x?page=2&api_key=other>; rel="next"; title="What? Really"',
      'x-other': '100% %zz %25',
    };
    stage.api.answer((request, response) => {
      request.resume();
      response.writeHead(302, theirs).end();
    });
    const answer = await stage.call(stage.proxied('items'), { headers: { ...headers, 'patchbay-links': 'original' } });
    for (const [name, value] of Object.entries(theirs)) assert.equal(answer.headers[name], value);
  });
});
