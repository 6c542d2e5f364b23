import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cookiesOf, expectConnected, expectParked, startConnectStage } from '../harness/connect-flow.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const PUBLIC = 'https://patchbay.example';

const stages = {
  https: { env: { PATCHBAY_URL: PUBLIC }, name: '__Host-patchbay_connect', secure: true },
  http: { env: {}, name: 'patchbay_connect', secure: false },
} as const;

for (const [scheme, { env, name, secure }] of Object.entries(stages))
  describe(`the binding cookie over ${scheme}`, () => {
    const flow = useStage(() => startConnectStage('sqlite', { env }));
    const team = prepare(() => flow.stage.createTeam('acme'));

    const linesOf = (setCookie: string | string[] | number | undefined): string[] =>
      [setCookie ?? []].flat().map(String);

    test('is limited to this host, hidden from scripts and other sites, and expires in ten minutes', async () => {
      const posted = await flow.post('github/connect', team.member.headers);
      const followed = await flow.get('/api/integrations/github/connect', team.member.headers);
      for (const { headers } of [posted, followed]) {
        const lines = linesOf(headers['set-cookie']);
        assert.equal(lines.length, 1);
        const [pair = '', ...attributes] = (lines[0] ?? '').split('; ');
        assert.match(pair, new RegExp(`^${name}=[\\w-]{43}$`));
        const wanted = ['HttpOnly', 'Max-Age=600', 'Path=/', 'SameSite=Lax', ...(secure ? ['Secure'] : [])];
        assert.deepEqual(attributes.sort(), wanted);
      }
    });

    test('is in nothing a script can read: neither the response nor the address', async () => {
      const answer = await flow.post('github/connect', team.member.headers);
      const [, secret = ''] = cookiesOf(answer.headers['set-cookie']).split('=');
      assert.equal(secret.length, 43);
      assert.ok(!answer.body.includes(secret));
    });

    test('is different in every browser', async () => {
      const cookies = new Set<string>();
      for (let turn = 0; turn < 20; turn++) cookies.add((await flow.begin(team.member)).cookie);
      assert.equal(cookies.size, 20);
    });

    test('serves five tabs of one browser, in whatever order they finish', async () => {
      let cookie = '';
      const tabs: string[] = [];
      for (let tab = 0; tab < 5; tab++) {
        const begun = await flow.begin(team.member, 'github', {}, cookie ? { cookie } : {});
        cookie = begun.cookie;
        tabs.push(begun.authorizationUrl);
      }
      const before = flow.exchanges();
      for (const tab of [3, 0, 4, 1, 2]) expectConnected(await flow.arrive(flow.consent(tabs[tab] ?? ''), { cookie }));
      assert.equal(flow.exchanges(), before + 5);
    });

    test('serves five tabs that start at the same moment without one, for those holding the last one', async () => {
      const first = await flow.begin(team.member);
      const tabs = await Promise.all(
        Array.from({ length: 5 }, () => flow.begin(team.member, 'github', {}, { cookie: first.cookie })),
      );
      assert.deepEqual(new Set(tabs.map(({ cookie }) => cookie)), new Set([first.cookie]));
      for (const { authorizationUrl, cookie } of tabs)
        expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie }));
    });

    test('counts only under its own name: one planted by a sibling host proves nothing', async () => {
      const { authorizationUrl, cookie } = await flow.begin(team.member);
      const other = secure ? 'patchbay_connect' : '__Host-patchbay_connect';
      const planted = `${other}=${cookie.split('=')[1]}`;
      const before = flow.exchanges();
      expectParked(await flow.arrive(flow.consent(authorizationUrl), { cookie: planted }));
      assert.equal(flow.exchanges(), before);
    });

    test('is not reused from a value that could not be ours', async () => {
      for (const value of ['', 'short', 'a'.repeat(44), `${'a'.repeat(42)}%`]) {
        const { cookie } = await flow.begin(team.member, 'github', {}, { cookie: `${name}=${value}` });
        assert.match(cookie, new RegExp(`^${name}=[\\w-]{43}$`));
        assert.notEqual(cookie, `${name}=${value}`);
      }
    });

    test('is not set when nothing starts', async () => {
      const refused = [
        await flow.post('github/connect', {}),
        await flow.post('nobody/connect', team.member.headers),
        await flow.get('/api/integrations/github/connect'),
        await flow.get('/api/integrations/github/connect', { accept: 'text/html' }),
      ];
      for (const { headers, statusCode } of refused) {
        assert.ok(statusCode >= 300);
        assert.ok(!linesOf(headers['set-cookie']).some((line) => line.startsWith(name)), String(statusCode));
      }
    });
  });
