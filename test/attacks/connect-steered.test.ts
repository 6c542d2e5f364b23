import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BROWSER, startConnectStage } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { cookieFrom, makeLinkPath, openSession } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const CONNECT = '/api/integrations/github/connect';

onOneEngine('a person steered toward a connect', (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  const team = prepare(() => flow.stage.createTeam('acme'));
  const session = prepare(() => openSession(flow.stage, team.member.user));

  const fromOurPage = (url: string) =>
    flow.get(url, { ...BROWSER, ...session.headers, 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin' });

  /** Signs in after a link with this `returnTo` was opened: the browser follows the redirect. */
  const signInToward = async (returnTo: string): Promise<string> => {
    const { server } = flow.stage;
    const asked = await server.inject({ url: `/sign-in?returnTo=${encodeURIComponent(returnTo)}`, headers: BROWSER });
    const cookie = asked.headers['set-cookie'] ? cookieFrom(asked.headers['set-cookie'], 'patchbay_return') : '';
    const url = await makeLinkPath(flow.stage, team.member.user);
    const answer = await server.inject({ method: 'POST', url, headers: { ...BROWSER, cookie } });
    assert.equal(answer.statusCode, 303, answer.body);
    return String(answer.headers.location);
  };

  test('does not start one by signing in', async () => {
    for (const path of [CONNECT, `${CONNECT}?team=${team.team.id}`, '/%61pi/integrations/github/connect', '/api/x/%'])
      assert.equal(await signInToward(path), '/', path);
  });

  test('is asked first if they sign in from the connect link itself', async () => {
    const led = await flow.get(`${CONNECT}?scopes=repo`, BROWSER);
    const returnTo = new URL(String(led.headers.location), 'http://localhost').searchParams.get('returnTo') ?? '';
    assert.equal(await signInToward(returnTo), '/integrations/github/begin?scopes=repo');
    const page = await fromOurPage('/integrations/github/begin?scopes=repo');
    assert.equal(page.statusCode, 200, page.body);
    assert.equal(page.headers['set-cookie'], undefined);
    assert.match(page.body, /<strong>acme<\/strong>/);
    const [, address = ''] = /href="(\/api[^"]+)"/.exec(page.body) ?? [];
    const begun = await fromOurPage(address.replaceAll('&amp;', '&'));
    assert.equal(begun.statusCode, 302, begun.body);
    assert.match(String(begun.headers.location), /^https:\/\/github\.com\/login\/oauth\/authorize\?.*scope=[^&]*repo/);
  });

  test('does not start one by finishing another connect', async () => {
    for (const returnTo of [CONNECT, '/%61pi/integrations/github/connect']) {
      const answer = await flow.post('github/connect', team.member.headers, { returnTo });
      assert.equal(answer.statusCode, 400, answer.body);
    }
  });

  test('is asked first, with the team’s name, on a page opened in another team', async () => {
    const other = await flow.stage.createTeam('other');
    const asked = await fromOurPage(`${CONNECT}?team=${other.team.id}`);
    assert.equal(asked.statusCode, 200, asked.body);
    assert.equal(asked.headers['set-cookie'], undefined);
    assert.match(asked.body, /<strong>acme<\/strong>/);
    assert.match(asked.body, new RegExp(`connect\\?team=${team.team.id}"`));
    assert.doesNotMatch(asked.body, new RegExp(other.team.id));
  });

  test('is not asked by our own pages, which name their team', async () => {
    const page = await fromOurPage('/integrations/github');
    const [, address = ''] = new RegExp(`href="(${CONNECT}[^"]+)"`).exec(page.body) ?? [];
    assert.match(address, new RegExp(`team=${team.team.id}`));
    assert.equal((await fromOurPage(address.replaceAll('&amp;', '&'))).statusCode, 302);
  });
});
