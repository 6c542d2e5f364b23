// Attack: a link or a redirect of a provider that takes the caller's token elsewhere, or makes the proxy do so.
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { openProxyStage, problemIn } from '../harness/proxy-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const PROXY = '/api/integrations/acme-full/proxy';
const OURS = `http://localhost:3000${PROXY}`;

type Reference = (api: string, port: number) => string;

/** The reference, what the caller gets for it, and where the provider is asked if the caller follows it. */
const REWRITTEN: Record<string, [Reference, expected: string, path: string]> = {
  'an address below the API': [(api) => `${api}/v1/items?page=2`, `${OURS}/items?page=2`, '/v1/items?page=2'],
  'the address of the API': [(api) => `${api}/v1`, `${OURS}/`, '/v1'],
  'an encoded slash': [(api) => `${api}/v1/a%2Fb`, `${OURS}/a%2Fb`, '/v1/a%2Fb'],
  'a fragment': [(api) => `${api}/v1/x#top`, `${OURS}/x#top`, '/v1/x'],
  'dots that stay in the API': [(api) => `${api}/v1/a/../b`, `${OURS}/b`, '/v1/b'],
  'letters beyond ASCII': [(api) => `${api}/v1/caf\xc3\xa9`, `${OURS}/caf%c3%a9`, '/v1/caf%c3%a9'],
  'a scheme in capitals': [(api) => `${api.replace('http', 'HTTP')}/v1/x`, `${OURS}/x`, '/v1/x'],
  'no scheme': [(api) => `${api.replace('http:', '')}/v1/x`, `${OURS}/x`, '/v1/x'],
  'a path': [() => '/v1/items/2', `${PROXY}/items/2`, '/v1/items/2'],
  'a relative path': [() => 'b?page=2', `${PROXY}/list/b?page=2`, '/v1/list/b?page=2'],
  'a query': [() => '?page=2', `${PROXY}/list/a?page=2`, '/v1/list/a?page=2'],
  'a named host': [(api) => `${api}/uploads/f?a=1`, `${OURS}/f?a=1&patchbay-host=uploads`, '/uploads/f?a=1'],
};

const UNTOUCHED: Record<string, Reference> = {
  'another host': () => 'https://evil.example/v1/x',
  'another host without a scheme': () => '//evil.example/v1/x',
  'another host behind backslashes': () => '\\\\evil.example/v1/x',
  'another host behind a slash and a backslash': () => '/\\evil.example/v1/x',
  'another name of the host': (_, port) => `http://localhost:${port}/v1/x`,
  'a host that begins like it': (_, port) => `http://127.0.0.1.evil.example:${port}/v1/x`,
  'a port that begins like it': (api) => `${api}0/v1/x`,
  'another scheme': (api) => `${api.replace('http', 'https')}/v1/x`,
  'another port': () => 'http://127.0.0.1/v1/x',
  'the host as a user name': (api) => `${api}@evil.example/v1/x`,
  'the host as a user name before a backslash': (api) => `${api}\\@evil.example/v1/x`,
  'a user name': (api) => `${api.replace('//', '//user@')}/v1/x`,
  'a password': (api) => `${api.replace('//', '//:secret@')}/v1/x`,
  'another path': (api) => `${api}/v2/x`,
  'a path that begins like it': (api) => `${api}/v10`,
  'a relative path out of the API': () => '../../admin',
  'dots that lead out of the API': (api) => `${api}/v1/../v2/x`,
  'encoded dots that lead out of the API': (api) => `${api}/v1/%2e%2e/v2/x`,
  'dots before an encoded slash': (api) => `${api}/v1/..%2fv2/x`,
  'an empty segment': (api) => `${api}/v1//evil.example/x`,
  'a slash that the proxy would leave out': (api) => `${api}/v1/`,
  'a field that names a connection': (api) => `${api}/v1/x?connection=other`,
  'a field that names a connection, encoded': (api) => `${api}/v1/x?%43onnection=other`,
  'a field that names a host': (api) => `${api}/v1/x?a=1&patchbay-host=uploads`,
  'a fragment alone': () => '#top',
  'a script': () => 'javascript:alert(1)',
  'no address': () => 'http://[',
};

describe("a provider's links", () => {
  const stage = useStage(() => openProxyStage('sqlite'));
  afterEach(async () => {
    stage.api.reset();
    await stage.removeConnections();
  });

  const say = (headers: Record<string, string | string[]>): void =>
    stage.api.answer(async (request, response) => {
      await stage.api.note(request);
      response.writeHead(302, headers).end();
    });

  const ask = async (path: string, headers: Record<string, string>) =>
    (await stage.call(stage.proxied(path), { headers })).headers;

  for (const [what, [reference, expected, path]] of Object.entries(REWRITTEN))
    test(`lead to the proxy, and from there to the same place: ${what}`, async () => {
      const { headers } = await stage.connected();
      const theirs = reference(stage.api.url, Number(new URL(stage.api.url).port));
      say({ location: theirs, link: `<${theirs}>; rel="next"` });
      const { location, link } = await ask('list/a', headers);
      assert.deepEqual([location, link], [expected, `<${expected}>; rel="next"`]);
      const followed = new URL(expected, OURS);
      await stage.call(`${followed.pathname}${followed.search}`, { headers });
      assert.equal(stage.api.received.at(-1)?.url, path);
    });

  for (const [what, reference] of Object.entries(UNTOUCHED))
    test(`stay as they are if they lead elsewhere: ${what}`, async () => {
      const { headers } = await stage.connected();
      const theirs = reference(stage.api.url, Number(new URL(stage.api.url).port));
      say({ location: theirs, link: `<${theirs}>; rel="next"` });
      const { location, link } = await ask('list/a', headers);
      assert.deepEqual([location, link], [theirs, `<${theirs}>; rel="next"`]);
    });

  test('are found among the others of a header, but not in its texts', async () => {
    const { headers } = await stage.connected();
    const { url } = stage.api;
    say({
      link: [
        `<${url}/v1/a?ids=1,2>; rel="next"; title="b, <${url}/v1/no>; \\", <${url}/v1/no>" , <${url}/v1/c>;rel=last`,
        `<https://evil.example/v1/x>; rel=prev, <${url}/v1/d>; title="open, <${url}/v1/no>`,
      ],
    });
    const { link } = await ask('list/a', headers);
    assert.equal(
      link,
      [
        `<${OURS}/a?ids=1,2>; rel="next"; title="b, <${url}/v1/no>; \\", <${url}/v1/no>" , <${OURS}/c>;rel=last`,
        `<https://evil.example/v1/x>; rel=prev, <${OURS}/d>; title="open, <${url}/v1/no>`,
      ].join(', '),
    );
  });

  test('stay as they are if the caller wants the original ones', async () => {
    const { headers } = await stage.connected();
    say({ location: `${stage.api.url}/v1/x` });
    const { location } = await ask('list/a', { ...headers, 'patchbay-links': 'original' });
    assert.equal(location, `${stage.api.url}/v1/x`);
    assert.equal(stage.api.received[0]?.headers['patchbay-links'], undefined);
  });

  test('are for the same connection as the request', async () => {
    const { headers, at } = await stage.connected('one');
    await at.connect('acme-full', stage.newAccount(), { connection: 'two' });
    say({ location: `${stage.api.url}/v1/x?page=2` });
    const { location = '' } = await ask('list/a?connection=two', headers);
    assert.equal(location, `${OURS}/x?page=2&connection=two`);
    await ask('x?page=2&connection=two', headers);
    const followed = stage.api.received.at(-1);
    assert.equal(followed?.url, '/v1/x?page=2');
    assert.equal(followed.headers.authorization, `Bearer ${await at.token('acme-full', 'two')}`);
  });

  test('reach the host that they name, although the library sends the header with every request', async () => {
    const { headers } = await stage.connected();
    const toUploads = { ...headers, 'patchbay-host': 'uploads' };
    say({ location: `${stage.api.url}/v1/x`, link: `<${stage.api.url}/uploads/next>; rel="next"` });
    const { location, link } = await ask('file', toUploads);
    assert.equal(location, `${OURS}/x?patchbay-host=`);
    assert.equal(link, `<${OURS}/next?patchbay-host=uploads>; rel="next"`);
    for (const path of ['x?patchbay-host=', 'next?patchbay-host=uploads']) await ask(path, toUploads);
    assert.deepEqual(
      stage.api.received.map(({ url }) => url),
      ['/uploads/file', '/v1/x', '/uploads/next'],
    );
    const unknown = await stage.call(stage.proxied('x?patchbay-host=evil'), { headers: toUploads });
    assert.equal(problemIn(unknown), 'proxy.host_unknown');
  });
});
