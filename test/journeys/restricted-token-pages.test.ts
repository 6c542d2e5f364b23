import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openProxyStage, problemIn } from '../harness/proxy-stage.ts';
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
      /agent<\/th><td data-label="Can"><span class="rights-lines"><span>Read [^<]+\([^<]+\): \/user \/repos\/\*\*<\/span>/,
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
      /data-label="Can"><span class="rights-lines"><span>See weekly reports<\/span><\/span><\/td>/,
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

  test('can make a token that can do nothing, and says so', async () => {
    const { submit, read } = await open();
    assert.equal((await submit({ name: 'none' })).statusCode, 200);
    assert.match(await read(), /none<\/th><td data-label="Can">Nothing<\/td>/);
  });
});
