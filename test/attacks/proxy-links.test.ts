// Attack: a link or a redirect of a provider that takes the caller's token elsewhere, or makes the proxy do so. On our own
// host, "elsewhere" is every other endpoint: the provider would act with the caller's rights.
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { Octokit } from '@octokit/core';
import { Patchbay } from '../../packages/client/src/index.ts';
import { openProxyStage, problemIn } from '../harness/proxy-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const PROXY = '/api/integrations/acme-full/proxy';
const OURS = `http://localhost:3000${PROXY}`;

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** `port` is the API's. */
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
  'a fragment alone': [() => '#top', `${PROXY}/list/a?page=1#top`, '/v1/list/a?page=1'],
  nothing: [() => '', `${PROXY}/list/a?page=1`, '/v1/list/a?page=1'],
  'a named host': [(api) => `${api}/uploads/f?a=1`, `${OURS}/f?a=1&patchbay-host=uploads`, '/uploads/f?a=1'],
};

/** The reference, and where it leads. */
const ELSEWHERE: Record<string, [Reference, expected: Reference]> = {
  'another host': [() => 'https://evil.example/v1/x', () => 'https://evil.example/v1/x'],
  'another host without a scheme': [() => '//evil.example/v1/x', () => 'http://evil.example/v1/x'],
  'another host behind backslashes': [() => '\\\\evil.example/v1/x', () => 'http://evil.example/v1/x'],
  'another host behind a slash and a backslash': [() => '/\\evil.example/v1/x', () => 'http://evil.example/v1/x'],
  'another host behind a slash, a tab, and a slash': [() => '/\t/evil.example/v1/x', () => 'http://evil.example/v1/x'],
  'a host that begins like it': [
    (_, port) => `http://127.0.0.1.evil.example:${port}/v1/x`,
    (_, port) => `http://127.0.0.1.evil.example:${port}/v1/x`,
  ],
  'a host that begins like ours': [() => 'http://localhost.evil.example/x', () => 'http://localhost.evil.example/x'],
  'an IPv6 address': [() => 'http://[2001:DB8::1]/x', () => 'http://[2001:db8::1]/x'],
  'letters beyond ASCII in its host': [
    () => Buffer.from('https://b\u00fccher.example/x').toString('latin1'),
    () => 'https://xn--bcher-kva.example/x',
  ],
  'the host as a user name before a backslash': [
    (api) => `${api}\\@evil.example/v1/x`,
    (api) => `${api}/@evil.example/v1/x`,
  ],
  'another path': [(api) => `${api}/v2/x`, (api) => `${api}/v2/x`],
  'a path that begins like it': [(api) => `${api}/v10`, (api) => `${api}/v10`],
  'a path that is one of ours': [() => '/api/operator/teams/acme', (api) => `${api}/api/operator/teams/acme`],
  'a relative path out of the API': [() => '../../admin', (api) => `${api}/admin`],
  'a relative path that would be one of ours': [
    () => '../../../../../../api/operator/teams',
    (api) => `${api}/api/operator/teams`,
  ],
  'dots that lead out of the API': [(api) => `${api}/v1/../v2/x`, (api) => `${api}/v2/x`],
  'encoded dots that lead out of the API': [(api) => `${api}/v1/%2e%2e/v2/x`, (api) => `${api}/v2/x`],
  'dots before an encoded slash': [(api) => `${api}/v1/..%2fv2/x`, (api) => `${api}/v1/..%2fv2/x`],
  'an empty segment': [(api) => `${api}/v1//evil.example/x`, (api) => `${api}/v1//evil.example/x`],
  'a slash that the proxy would leave out': [(api) => `${api}/v1/`, (api) => `${api}/v1/`],
  'a field that names a connection': [(api) => `${api}/v1/x?connection=other`, (api) => `${api}/v1/x?connection=other`],
  'a field that names a connection, encoded': [
    () => '/v1/x?%43onnection=other',
    (api) => `${api}/v1/x?%43onnection=other`,
  ],
  'a field that names a host': [
    (api) => `${api}/v1/x?a=1&patchbay-host=uploads`,
    (api) => `${api}/v1/x?a=1&patchbay-host=uploads`,
  ],
};

/** `PATCHBAY_URL` is http://localhost:3000, and the request is sent to 127.0.0.1. */
const NOWHERE: Record<string, Reference> = {
  'our own address': () => 'http://localhost:3000/api/operator/teams',
  'our own address in capitals': () => 'HTTP://LOCALHOST:3000/api/operator/teams',
  'our own address without a scheme': () => '//localhost:3000/api/operator/teams',
  'our own address behind backslashes': () => '\\\\localhost:3000/api/operator/teams',
  'our own address behind a slash and a backslash': () => '/\\localhost:3000/api/operator/teams',
  'our own address with tabs in it': () => 'ht\ttp:/\t/local\thost:3000/api/operator/teams',
  'our own address with a dot at its end': () => 'http://localhost.:3000/api/operator/teams',
  'our own address with a user name': () => 'http://user@localhost:3000/api/operator/teams',
  'our own address on another port': () => 'http://localhost/api/operator/teams',
  'our own address with another scheme': () => 'https://localhost:3000/api/operator/teams',
  'our own address in wide letters': () =>
    Buffer.from('http://\uff4c\uff4f\uff43alhost:3000/api/operator/teams').toString('latin1'),
  'our own proxy, for another provider': () => 'http://localhost:3000/api/integrations/github/proxy/user',
  'another name of ours': () => 'http://patchbay.localhost:3000/api/operator/teams',
  'our own address as a number': () => 'http://0x7f000001:3000/api/operator/teams',
  'our own address in IPv6': () => 'http://[::1]:3000/api/operator/teams',
  'our own address in IPv6, mapped': () => 'http://[::ffff:127.0.0.1]:3000/api/operator/teams',
  'another name of the host': (_, port) => `http://localhost:${port}/v1/x`,
  'a port that begins like it': (api) => `${api.slice(0, -1)}/v1/x`,
  'another scheme': (api) => `${api.replace('http', 'https')}/v1/x`,
  'the host as a user name': (api) => `${api}@evil.example/v1/x`,
  'a user name': (api) => `${api.replace('//', '//user@')}/v1/x`,
  'a password': (api) => `${api.replace('//', '//:secret@')}/v1/x`,
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
      const { location, link } = await ask('list/a?page=1', headers);
      assert.deepEqual([location, link], [expected, `<${expected}>; rel="next"`]);
      const followed = new URL(expected, OURS);
      await stage.call(`${followed.pathname}${followed.search}`, { headers });
      assert.equal(stage.api.received.at(-1)?.url, path);
    });

  for (const [what, [reference, expected]] of Object.entries(ELSEWHERE))
    test(`lead elsewhere as whole URLs, and only if they are redirects: ${what}`, async () => {
      const { headers } = await stage.connected();
      const port = Number(new URL(stage.api.url).port);
      const theirs = reference(stage.api.url, port);
      say({ location: theirs, 'content-location': theirs, link: `<${theirs}>; rel="next"` });
      const returned = await ask('list/a', headers);
      const whole = expected(stage.api.url, port);
      assert.deepEqual([returned.location, returned['content-location'], returned.link], [whole, whole, undefined]);
      const original = await ask('list/a', { ...headers, 'patchbay-links': 'original' });
      assert.deepEqual([original.location, original.link], [whole, `<${whole}>; rel="next"`]);
    });

  for (const [what, reference] of Object.entries(NOWHERE))
    test(`lead nowhere: ${what}`, async () => {
      const { headers } = await stage.connected();
      const theirs = reference(stage.api.url, Number(new URL(stage.api.url).port));
      const names = ['location', 'content-location', 'operation-location'];
      say({ ...Object.fromEntries(names.map((name) => [name, theirs])), link: `<${theirs}>; rel="next"` });
      for (const asked of [headers, { ...headers, 'patchbay-links': 'original' }]) {
        const returned = await ask('list/a', asked);
        assert.deepEqual(
          [...names, 'link'].filter((name) => returned[name] !== undefined),
          [],
        );
      }
    });

  test('lead nowhere in any header if a client could take them for our host', async () => {
    const { headers } = await stage.connected();
    const forms = [
      'http:/localhost:3000/api/tokens',
      'http:localhost:3000/api/tokens',
      'http:\\\\localhost:3000/api/team',
      // Relative for a client that resolves them against our URL, whose scheme they have.
      'http:/api/tokens',
      'https:/api/tokens',
      'http:?connection=other',
    ];
    say(Object.fromEntries(forms.map((form, index) => [`x-next-${index}`, form])));
    const returned = await ask('list/a', headers);
    assert.deepEqual(
      forms.map((_, index) => returned[`x-next-${index}`]),
      forms.map(() => undefined),
    );
  });

  test('lead nowhere if they name the host that the request named', async () => {
    const { headers } = await stage.connected();
    const own = ['inside.example', 'outside.example', 'front.example'];
    const asked = { ...headers, host: 'inside.example:8080', 'x-forwarded-host': 'outside.example' };
    for (const host of own) {
      say({ location: `https://${host}/api/team`, 'x-next-page': ` https://${host}/api/team` });
      const returned = await ask('list/a', { ...asked, forwarded: 'for=10.0.0.1;host="front.example"' });
      assert.deepEqual([returned.location, returned['x-next-page']], [undefined, undefined], host);
    }
  });

  test('are found among the others of a header, and nothing in its texts looks like one', async () => {
    const { headers } = await stage.connected();
    const { url } = stage.api;
    say({
      link: [
        `<${url}/v1/a?ids=1,2>; rel="next"; title="b, <${url}/v1/no>; \\", <${url}/v1/no>" , <${url}/v1/c>;rel=last`,
        `<https://evil.example/v1/x>; rel=prev, <${url}/v1/d>; title="one, two"; rel=up`,
        `<${url}/v1/e>; rel=first, <${url}/v1/f>; title="open, <${url}/v1/no>`,
        `<${url}/v1/g>; rel=last; title=<https://evil.example/>; rel="next"`,
      ],
    });
    const { link } = await ask('list/a', headers);
    assert.equal(
      link,
      [
        `<${OURS}/a?ids=1,2>; rel="next", <${OURS}/c>; rel=last`,
        `<${OURS}/d>; title="one, two"; rel=up`,
        `<${OURS}/e>; rel=first`,
      ].join(', '),
    );
  });

  test('count once, although a provider sends several', async () => {
    const { headers } = await stage.connected();
    stage.api.answer((_request, response) =>
      response
        .writeHead(302, ['location', 'http://localhost:3000/api/team', 'location', '/v1/a', 'location', '/v1/b'])
        .end(),
    );
    const response = await fetch(`http://127.0.0.1:${stage.port}${stage.proxied('x')}`, {
      headers,
      redirect: 'manual',
    });
    assert.equal(response.headers.get('location'), `${PROXY}/a`);
  });

  test("are the provider's own, as whole URLs, if the caller wants the original ones", async () => {
    const { headers } = await stage.connected();
    say({ location: '/v1/x', link: `<${stage.api.url}/v1/y>; rel="next", <?page=2>; rel=last` });
    const { location, link } = await ask('list/a', { ...headers, 'patchbay-links': 'original' });
    assert.equal(location, `${stage.api.url}/v1/x`);
    assert.equal(link, `<${stage.api.url}/v1/y>; rel="next", <${stage.api.url}/v1/list/a?page=2>; rel=last`);
    assert.equal(stage.api.received[0]?.headers['patchbay-links'], undefined);
  });

  describe('followed by a library', () => {
    const base = (): string => `http://127.0.0.1:${stage.port}`;
    const DISCONNECT = '/api/integrations/acme-full/disconnect';

    /** Redirects every request to the proxy, and responds to whatever else arrives. */
    const redirectTo = (location: string): void => {
      stage.api.reset();
      stage.api.answer(async (request, response) => {
        await stage.api.note(request);
        if (request.url?.startsWith('/v1/contacts')) response.writeHead(307, { location }).end();
        else response.setHeader('content-type', 'application/json').end('{}');
      });
    };

    const isConnected = async (headers: Record<string, string>): Promise<boolean> => {
      stage.api.reset();
      return (await stage.call(stage.proxied('me'), { headers })).status === 200;
    };

    for (const [what, reference] of Object.entries({
      'a path': (): string => DISCONNECT,
      'a relative path': (): string => `../../../../..${DISCONNECT}`,
      'a whole URL': (): string => `${base()}${DISCONNECT}`,
      'a URL without a scheme': (): string => `${base().replace('http:', '')}${DISCONNECT}`,
    }))
      test(`never use our own API with the caller's token: ${what}`, async () => {
        const { headers, admin } = await stage.connected();
        const octokit = new Octokit({ baseUrl: `${base()}${PROXY}`, auth: admin.token, log: SILENT });
        const patchbay = new Patchbay({ url: base(), token: admin.token });
        const ways = {
          fetch: (links: object) =>
            fetch(`${base()}${PROXY}/contacts/5`, { method: 'POST', headers: { ...headers, ...links } }),
          octokit: (links: object) => octokit.request('POST /contacts/5', { headers: { ...links } }),
          client: () => patchbay.fetch('acme-full', '/contacts/5', { method: 'POST' }),
        };
        for (const [name, follow] of Object.entries(ways))
          for (const links of [{}, { 'patchbay-links': 'original' }]) {
            redirectTo(reference());
            await follow(links).catch(() => null);
            const followed = stage.api.received.slice(1).map((request) => request.headers.authorization);
            assert.ok(
              followed.every((sent) => sent === undefined),
              name,
            );
            assert.ok(await isConnected(headers), `${name} disconnected the account.`);
          }
      });

    test("never take the caller's token to another host, although a library pages", async () => {
      const { admin } = await stage.connected();
      stage.api.answer((_request, response) =>
        response
          .writeHead(200, { 'content-type': 'application/json', link: '<https://evil.example/steal>; rel="next"' })
          .end('[]'),
      );
      const octokit = new Octokit({ baseUrl: `${base()}${PROXY}`, auth: admin.token, log: SILENT });
      const { headers } = await octokit.request('GET /items');
      assert.equal(/<([^<>]+)>;\s*rel="next"/.exec(headers.link ?? ''), null);
    });
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
