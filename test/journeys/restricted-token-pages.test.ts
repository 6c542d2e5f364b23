import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openProxyStage, problemIn } from '../harness/proxy-stage.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

const PROVIDER = 'acme-full';
const PAGE = '/settings/tokens';

onOneEngine('the page of access tokens', (engine) => {
  const stage = useStage(() => openProxyStage(engine));

  const open = async (role: 'admin' | 'member' = 'admin') => {
    const team = await stage.connected();
    const { headers, csrfToken } = await openSession(stage, team[role].user);
    const read = async (url = PAGE): Promise<string> => (await stage.server.inject({ url, headers })).body;
    const submit = (fields: Record<string, string>) =>
      stage.server.inject({
        ...{ method: 'POST', url: PAGE },
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ _csrf: csrfToken, expiresInDays: '366', kind: 'some', ...fields }).toString(),
      });
    const bearer = (page: string) => ({ authorization: `Bearer ${/pb_[\w-]+/.exec(page)?.[0]}` });
    return { ...team, read, submit, bearer };
  };

  test('makes a token for one provider, and says what it can do', async () => {
    const { read, submit, bearer } = await open();
    const filled = await read(`${PAGE}?preset=provider`);
    assert.match(filled, /<input type="radio" name="kind" value="some" checked>/);
    assert.match(filled, new RegExp(`<option value="${PROVIDER}:default">`));
    const place = { place: `${PROVIDER}:default`, access: 'read', paths: '/user\r\n/repos/**' };
    const made = await submit({ name: 'agent', ...place });
    assert.equal(made.statusCode, 200, made.body);
    const token = bearer(made.body);
    assert.equal((await stage.call(stage.proxied('repos/a'), { headers: token })).status, 200);
    for (const [path, method] of [
      ['repos/a', 'DELETE'],
      ['other', 'GET'],
    ] as const) {
      const refused = await stage.call(stage.proxied(path), { method, headers: token });
      assert.deepEqual([refused.status, problemIn(refused)], [403, 'tokens.not_allowed']);
    }
    const list = await read();
    assert.match(
      list,
      /agent<\/th><td data-label="Can"><div class="rights-lines"><div>Read [^<]+\([^<]+\): \/user \/repos\/\*\*<\/div>/,
    );
  });

  test('fills the form in for the weekly report, and the token sees nothing else', async () => {
    const { read, submit, bearer } = await open('member');
    const filled = await read(`${PAGE}?preset=report`);
    assert.match(filled, /name="can\.reports" value="on" checked/);
    assert.doesNotMatch(filled, /name="can\.calls" value="on" checked/);
    assert.doesNotMatch(filled, /name="place"/, 'A member is not offered what they cannot give.');
    const made = await submit({ name: 'Weekly report', 'can.reports': 'on' });
    const token = bearer(made.body);
    assert.equal((await stage.call('/api/reports', { headers: token })).status, 200);
    assert.equal((await stage.call('/api/calls', { headers: token })).status, 403);
    assert.match(
      await read(),
      /data-label="Can"><div class="rights-lines"><div>See weekly reports<\/div><\/div><\/td>/,
    );
  });

  test('says what is wrong with a path, and keeps what was filled in', async () => {
    const { submit, read } = await open();
    const refused = await submit({ name: 'agent', place: `${PROVIDER}:default`, access: 'everything', paths: '/a*' });
    assert.equal(refused.statusCode, 400);
    assert.match(refused.body, /isn&#39;t a pattern for a path|isn't a pattern for a path/);
    assert.match(refused.body, />\/a\*<\/textarea>/);
    assert.match(refused.body, /<option value="everything" selected>/);
    assert.doesNotMatch(await read(), /<th scope="row">agent</);
  });

  test('makes a token that can do everything if nothing was chosen, as before', async () => {
    const { submit, bearer, read } = await open();
    const made = await submit({ name: 'all', kind: 'all', 'can.calls': 'on' });
    assert.equal((await stage.call('/api/tokens', { headers: bearer(made.body) })).status, 200);
    assert.match(await read(), /all<\/th><td data-label="Can">Everything its owner can do<\/td>/);
  });

  test('makes no token that can do nothing, and says so at the choices', async () => {
    const { submit, read } = await open();
    for (const fields of [{}, { place: '', access: 'read', paths: ' ' }]) {
      const refused = await submit({ name: 'none', ...fields });
      assert.equal(refused.statusCode, 400);
      assert.match(refused.body, /role="alert"><p>Choose at least one thing that the token can do\./);
      assert.match(refused.body, /aria-describedby="can-flaw"><p id="can-flaw"><strong class="flaw">Choose at least/);
      assert.match(refused.body, /value="none"/);
      assert.match(refused.body, /name="kind" value="some" checked/);
    }
    assert.doesNotMatch(await read(), /<th scope="row">none</);
  });

  test('says that a program has made a token that can do nothing', async () => {
    const { headers, read } = await open();
    await makeToken(stage.server, headers, { can: [] });
    assert.match(await read(), /agent<\/th><td data-label="Can">Nothing<\/td>/);
  });

  test('drops no choice about a provider that is missing, and says so at its field', async () => {
    const { submit, read } = await open();
    const cases: Record<string, string>[] = [{ access: 'ask' }, { access: 'everything' }, { paths: '/user' }];
    for (const fields of cases)
      for (const others of [{}, { 'can.calls': 'on' }]) {
        const refused = await submit({ name: 'dropped', place: '', ...fields, ...others });
        assert.equal(refused.statusCode, 400);
        assert.match(refused.body, /<span class="hint" id="place-hint"><strong class="flaw">Choose the provider, or/);
        assert.equal(/<option value="(?:ask|everything)" selected>/.test(refused.body), 'access' in fields);
        assert.equal(/name="can.calls" value="on" checked/.test(refused.body), 'can.calls' in others);
      }
    assert.doesNotMatch(await read(), /<th scope="row">dropped</);
  });

  test('offers a form that is filled in for a provider only to somebody who can choose one', async () => {
    const presetsOf = (page: string) => [...page.matchAll(/\?preset=(\w+)#new/g)].map(([, preset]) => preset);
    const [admin, member] = [await open(), await open('member')];
    assert.deepEqual(presetsOf(await admin.read()), ['read', 'provider', 'ask', 'report']);
    assert.deepEqual(presetsOf(await member.read()), ['read', 'report']);
    const said = [...(await admin.read()).matchAll(/\?preset=\w+#new">([^<]+)</g)].map(([, words]) => words);
    assert.deepEqual(said, [
      ...['sees calls, reports, and events', 'only reads from a provider', 'asks before it writes to a provider'],
      'sees the weekly report',
    ]);
    const unconnected = await stage.newTeam();
    const { headers } = await openSession(stage, unconnected.admin.user);
    const page = (await stage.server.inject({ url: PAGE, headers })).body;
    assert.deepEqual(presetsOf(page), ['read', 'report']);
    assert.match(page, /No account is connected yet/);
  });

  test('shows a command that the token may use', async () => {
    const { submit, bearer } = await open();
    const place = `${PROVIDER}:default`;
    const proxied = `/api/integrations/${PROVIDER}/proxy`;
    const cases: [fields: Record<string, string>, address: string | null][] = [
      [{ kind: 'all' }, '/api/team'],
      [{ 'can.status': 'on' }, '/api/team'],
      [{ 'can.calls': 'on' }, '/api/calls'],
      [{ 'can.reports': 'on' }, '/api/reports'],
      [{ 'can.recordings': 'on', 'can.events': 'on' }, '/api/events'],
      [{ 'can.recordings': 'on', 'can.connect': 'on' }, null],
      [{ 'can.calls': 'on', place, paths: '/repos/**\n/user' }, `${proxied}/user`],
      [{ place }, `${proxied}/<path>`],
      [{ place, access: 'ask', paths: '/repos/*/issues/**' }, `${proxied}/repos/<segment>/issues/<path>`],
    ];
    for (const [index, [fields, address]] of cases.entries()) {
      const { body } = await submit({ name: `command ${index}`, ...fields });
      const shown = /curl -H &#39;[^&]+&#39; ([^<]+)<|curl -H '[^']+' ([^<]+)</.exec(body);
      const found = (shown?.[1] ?? shown?.[2])?.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&#39;', '');
      const { pathname = null } = found === undefined ? {} : { pathname: found.replace(/^https?:\/\/[^/]+/, '') };
      assert.equal(pathname, address);
      assert.equal(body.includes('angle brackets'), address?.includes('<') ?? false);
      assert.equal(body.includes('Try it'), address !== null);
      if (address === null) continue;
      const used = await stage.call(address.replaceAll(/<\w+>/g, 'x'), { headers: bearer(body) });
      assert.equal(used.status, 200, `${address}: ${used.body}`);
    }
  });

  test('names the connection in the command if it is not the usual one', async () => {
    const { at, read, submit, bearer } = await open();
    await at.connect(PROVIDER, stage.newAccount(), { connection: 'work' });
    assert.match(await read(), new RegExp(`<option value="${PROVIDER}:work">`));
    const { body } = await submit({ name: 'work', place: `${PROVIDER}:work`, paths: '/user' });
    assert.match(body, /proxy\/user\?connection=work/);
    const used = await stage.call(stage.proxied('user?connection=work'), { headers: bearer(body) });
    assert.equal(used.status, 200, used.body);
  });

  test('lets somebody choose how long the token is valid, and how long its requests wait', async () => {
    const { headers, read, submit } = await open();
    assert.match(await read(`${PAGE}?preset=ask`), /<option value="30" selected>30 days</);
    const place = { place: `${PROVIDER}:default`, access: 'ask' };
    assert.equal((await submit({ name: 'hour', expiresInDays: 'hour', 'can.calls': 'on' })).statusCode, 200);
    assert.equal((await submit({ name: 'day', expiresInDays: '1', ...place, approvalMinutes: '480' })).statusCode, 200);
    assert.equal((await submit({ name: 'usual', expiresInDays: '30', ...place })).statusCode, 200);
    const { tokens } = (await stage.server.inject({ url: '/api/tokens', headers })).json();
    type Made = { name: string; createdAt: string; expiresAt: string; approvalMinutes: number | null };
    const HOUR_MS = 3_600_000;
    assert.deepEqual(
      tokens
        .map(({ name, createdAt, expiresAt, approvalMinutes }: Made) => [
          name,
          (Date.parse(expiresAt) - Date.parse(createdAt)) / HOUR_MS,
          approvalMinutes,
        ])
        .filter(([name]: [string]) => ['hour', 'day', 'usual'].includes(name))
        .sort(),
      [
        ['day', 24, 480],
        ['hour', 1, null],
        ['usual', 30 * 24, 10],
      ],
    );
    const refused = await submit({ name: 'week', ...place, approvalMinutes: '10080' });
    assert.equal(refused.statusCode, 400);
    assert.match(refused.body, /role="alert"><p>Choose how long a request waits\./);
  });

  test('folds many paths up, and says that a token that asks can ask for others', async () => {
    const { submit, read } = await open();
    assert.match(await read(), /id="paths-hint">[^<]+A token that asks can ask for any other path\.</);
    const place = { place: `${PROVIDER}:default`, access: 'read' };
    await submit({ name: 'long', ...place, paths: `/${'x'.repeat(900)}` });
    await submit({ name: 'many', ...place, paths: Array.from({ length: 40 }, (_, at) => `/items/${at}`).join('\n') });
    const list = await read();
    assert.match(list, /<details><summary>Read [^<]+: one path<\/summary><div>\/x{900}<\/div><\/details>/);
    assert.match(list, /<details><summary>Read [^<]+: 40 paths<\/summary><div>\/items\/0<\/div>/);
  });

  test('says before a revocation what ends with a token that asks', async () => {
    const { headers, read } = await open();
    const allow = [{ provider: PROVIDER, connection: 'default' }];
    await makeToken(stage.server, headers, { name: 'asking', allow, writes: 'ask' });
    await makeToken(stage.server, headers, { name: 'reading', allow });
    const list = await read();
    const pageOf = (name: string) => read(new RegExp(`href="([^"]+/revoke)">Revoke<[^>]+> ${name}<`).exec(list)?.[1]);
    const words =
      /Requests of the token that wait for an approval are refused\. Everything that the token asked for is erased with it, including bodies and responses\./;
    assert.match(await pageOf('asking'), words);
    const other = await pageOf('reading');
    assert.match(other, /stops working immediately/);
    assert.doesNotMatch(other, words);
  });
});
