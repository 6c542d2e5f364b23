import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { openApprovalsStage } from '../harness/approvals-stage.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('the pages of approvals', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));
  beforeEach(() => stage.api.reset());

  const open = async (rights: Record<string, unknown> = {}, allow: Record<string, unknown> = {}) => {
    const team = await stage.asking(rights, allow);
    const { headers, csrfToken } = await openSession(stage, team.admin.user);
    const read = async (url: string): Promise<string> => (await stage.server.inject({ url, headers })).body;
    const page = (id: string): Promise<string> => read(`/approvals/${id}`);
    /** Presses a button, and follows to the page that it leads to. */
    const decide = async (id: string, verb: 'approve' | 'refuse'): Promise<string> => {
      const answer = await stage.server.inject({
        ...{ method: 'POST', url: `/approvals/${id}/${verb}` },
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ _csrf: csrfToken }).toString(),
      });
      assert.equal(answer.statusCode, 303, answer.body);
      return read(String(answer.headers.location));
    };
    return { ...team, read, page, decide };
  };

  test('lead from one request that waits to the next, the one that expires first', async () => {
    const { token, page, decide, read } = await open();
    const ids: string[] = [];
    for (const path of ['first', 'second', 'third']) {
      ids.push(await stage.park(token, path));
      stage.clock.advance(1_000);
    }
    const [first = '', second = '', third = ''] = ids;
    const linkTo = (id: string) => new RegExp(`href="/approvals/${id}">Go to the next request<`);
    const shown = await page(second);
    assert.match(shown, /2 other requests wait\. Next: agent, <code>POST \/first<\/code>/);
    assert.match(shown, linkTo(first));
    const refused = await decide(first, 'refuse');
    assert.match(refused, /2 other requests wait\./);
    assert.match(refused, linkTo(second));
    assert.match(await decide(second, 'approve'), linkTo(third));
    assert.match(await decide(third, 'refuse'), /Nothing else waits for an approval\./);
    assert.match(await read('/approvals'), /POST \/first/);
    const alone = await stage.park(token, 'alone');
    assert.doesNotMatch(await page(alone), /next request|Nothing else waits|other request/);
  });

  test('lead to the token', async () => {
    const { token, page, read } = await open();
    const id = await stage.park(token, 'repos/acme/site/issues');
    const href = /href="(\/settings\/tokens#token-[\w-]+)">agent</.exec(await page(id))?.[1] ?? '';
    assert.match(await read('/settings/tokens'), new RegExp(`<tr id="${href.split('#')[1]}"><th scope="row">agent<`));
  });

  test('say what the credential is added to only if something is or was sent', async () => {
    const { token, page, decide } = await open();
    const [sent, refused] = [await stage.park(token, 'sent'), await stage.park(token, 'refused')];
    assert.match(await page(sent), /The credential of the account is added to them\./);
    assert.match(await decide(sent, 'approve'), /The credential of the account was added to them\./);
    assert.doesNotMatch(await decide(refused, 'refuse'), /credential of the account/);
    const expired = await stage.park(token, 'expired');
    stage.clock.advance(600_000);
    const shown = await page(expired);
    assert.match(shown, /Nobody decided in time\. It was not sent\./);
    assert.doesNotMatch(shown, /credential of the account/);
  });

  test('explain only once that nobody knows what became of a request', async () => {
    const { token, decide } = await open();
    const id = await stage.park(token, 'unclear');
    stage.api.answer((incoming) => incoming.socket.destroy());
    const shown = await decide(id, 'approve');
    assert.match(
      shown,
      /<p>It was approved, and is never sent again\. The provider didn&#39;t answer, so it may or may not have carried out the request\. To find out, look at the provider\. Decided by/,
    );
    assert.doesNotMatch(shown, /Nobody knows/);
  });

  test('say that white space differs if it does, and only then', async () => {
    const { token, page } = await open();
    const [indented, plain] = ['{\n  "title": "Seven"\n}', '{"title":"Seven"}'];
    const exact = await page(await stage.park(token, 'exact', { body: indented }));
    assert.match(exact, /Exactly this is sent, once\. \d+ bytes, JSON\./);
    const spaced = await page(await stage.park(token, 'spaced', { body: plain }));
    assert.match(spaced, /Exactly this is sent, once, except for white space\. \d+ bytes, JSON\./);
    assert.match(spaced, /\{\n {2}&quot;title&quot;: &quot;Seven&quot;\n\}/);
  });

  test('are not promised among the alerts to a team that has chosen otherwise', async () => {
    const { headers, read } = await open();
    const { settings } = (await stage.ask('GET', '/api/events/alerts', headers)).json;
    const approval = { mail: false, slack: false, pages: false };
    const payload = { settings: { ...settings, approval } };
    const saved = await stage.server.inject({ method: 'PUT', url: '/api/events/alerts', headers, payload });
    assert.equal(saved.statusCode, 200, saved.body);
    assert.match(await read('/alerts'), /What your team has chosen is listed here until it's resolved, such as/);
  });

  test('fold up what else a token with many paths may do', async () => {
    const { token, page } = await open({}, { paths: Array.from({ length: 40 }, (_, at) => `/items/${at}`) });
    assert.match(await page(await stage.park(token)), /<details><summary>Read [^<]+: 40 paths<\/summary>/);
  });
});
