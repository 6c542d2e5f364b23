import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { createRequestLog } from '../../src/integrations/request-log/request-log.ts';
import { BROWSER } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { linkIn } from '../harness/page-visits.ts';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const PROVIDER = 'acme-full';
const NOBODYS = '01900000-0000-7000-8000-000000000000';
const LIST = `/requests?provider=${PROVIDER}&connection=default`;

onOneEngine('the pages of the request log', (engine) => {
  const stage = useStage(() => openProxyStage(engine));
  afterEach(() => stage.api.reset());

  const open = async () => {
    const team = await stage.connected();
    const { headers } = await openSession(stage, team.admin.user);
    const read = async (path: string, status = 200): Promise<string> => {
      const answer = await stage.server.inject({ url: path, headers: { ...BROWSER, ...headers } });
      assert.equal(answer.statusCode, status, answer.body);
      assert.doesNotMatch(
        answer.body,
        /style=|<script(?! type="module" src="\/assets\/[a-z-]+\.js"><\/script>)| on[a-z]+=/,
      );
      return answer.body;
    };
    const send = async (path: string, method = 'GET', by = team.headers): Promise<void> => {
      stage.clock.advance(1_100);
      await stage.call(stage.proxied(path), { method, headers: by });
    };
    /** Waits until a page says so: requests are written behind their responses. */
    const shows = async (path: string, words: RegExp): Promise<string> => {
      let page = '';
      await waitUntil(`${path} shows ${words}`, async () => {
        page = await read(path);
        return words.test(page);
      });
      return page;
    };
    return { ...team, read, send, shows };
  };

  const rowsIn = (page: string): string[] =>
    [...page.matchAll(/<tr><th scope="row"><a href="\/requests\/[^"]+">([^<]+)<\/a>/g)].map(([, words = '']) => words);

  /** The facts of a page: label and value, without markup. */
  const factsIn = (page: string): Record<string, string> =>
    Object.fromEntries(
      [...page.matchAll(/<dt>([^<]+)<\/dt><dd>(.*?)<\/dd>/gs)].map(([, label = '', value = '']) => [
        label,
        value.replace(/<button.*?<\/button>|<[^>]+>/gs, ''),
      ]),
    );

  test('say how to make the first request', async () => {
    const { read } = await open();
    const page = await read(LIST);
    assert.match(page, /<h1[^>]*>Requests to Acme/);
    assert.match(page, /Nothing requested in the last seven days/);
    assert.match(
      page,
      /curl -H &quot;Authorization: Bearer \$TOKEN&quot; &#39;http[^<]*\/api\/integrations\/acme-full\/proxy\/&lt;path&gt;&#39;/,
    );
    assert.match(page, /await patchbay\.fetch\(&#39;acme-full&#39;, &#39;\/&lt;path&gt;&#39;\)/);
    assert.match(page, new RegExp(`appends the path to <code>${stage.api.url}/v1</code>`));
    assert.match(
      await read(`/requests?provider=${PROVIDER}&connection=work`),
      /\?connection=work&#39;[\s\S]*\{ connection: &#39;work&#39; \}/,
    );
    assert.match(await read('/requests?provider=acme'), /doesn't know the API of Acme,/);
    assert.match(await read('/requests'), /proxy\/&lt;path&gt;/);
  });

  test('list the requests of a connection, newest first, and what failed', async () => {
    const { send, read, shows, at, admin } = await open();
    stage.api.answer((request, response) => response.writeHead(request.url?.includes('gone') ? 404 : 200).end('ok'));
    await send('items/1');
    await send('gone', 'DELETE');
    await send(`long/${'x'.repeat(200)}?secret=query`);
    stage.clock.advance(1_100);
    await at.token(PROVIDER);
    const provider = await read(`/integrations/${PROVIDER}`);
    const address = linkIn(provider, /^<a [^>]*>Requests/);
    assert.equal(address, LIST);
    const page = await shows(address, /items\/1/);
    assert.deepEqual(rowsIn(page), [
      'Access token handed out',
      `GET /long/${'x'.repeat(74)}…`,
      'DELETE /gone',
      'GET /items/1',
    ]);
    assert.match(page, /DELETE \/gone[\s\S]*?<span class="pill bad">404<\/span>/);
    assert.match(page, /GET \/items\/1[\s\S]*?<span class="pill">200<\/span>/);
    assert.match(page, new RegExp(`${admin.user.email}`));
    assert.doesNotMatch(page, /secret=query/);
    assert.match(
      page,
      /<nav class="trail"[^>]*><ol><li><a href="\/integrations">Integrations<\/a><\/li><li><a href="\/integrations\/acme-full">/,
    );

    assert.deepEqual(rowsIn(await read(`${LIST}&result=failed`)), ['DELETE /gone']);
    assert.deepEqual(rowsIn(await read(`${LIST}&result=4xx&method=&by=&since=`)), ['DELETE /gone']);
    assert.deepEqual(rowsIn(await read(`${LIST}&method=DELETE`)), ['DELETE /gone']);
    const today = new Date(stage.clock.now()).toISOString().slice(0, 10);
    assert.equal(rowsIn(await read(`${LIST}&since=${today}`)).length, 4);
    const nothing = await read(`${LIST}&result=5xx&method=PUT&since=${today}`);
    assert.match(nothing, /No matching requests in the last seven days/);
    assert.match(nothing, /<option value="PUT" selected>/);
    assert.match(nothing, new RegExp(`name="since" type="date" value="${today}"`));
    assert.equal(linkIn(nothing, /Show all/), LIST);
    assert.equal(linkIn(nothing, /Clear/), LIST);
    assert.doesNotMatch(page, /Clear/);
  });

  test('keep the filter from page to page', async () => {
    const { read, team } = await open();
    const { id: connectionId, name: connection } = await stage.row(team.id, PROVIDER);
    const log = createRequestLog(stage.app);
    for (let index = 0; index < 38; index++) {
      stage.clock.advance(1_100);
      log.add(
        {
          ...{ connectionId, provider: PROVIDER, connection, teamId: team.id, kind: 'proxy' },
          ...{ accountId: null, accountLabel: null, via: 'jwt', userId: 'u', tokenId: null, tokenName: null },
        },
        {
          ...{ method: index % 16 === 0 ? 'POST' : 'GET', path: `/items/${index}`, host: null, status: 200 },
          ...{ from: 'provider', failed: false, retried: false, ms: 1, requestBytes: 0, responseBytes: 0 },
        },
      );
    }
    await log.close();
    const first = await read(`${LIST}&method=GET`);
    const older = linkIn(first, /Older/);
    assert.match(older, /method=GET&cursor=/);
    const second = await read(older);
    assert.deepEqual([rowsIn(first).length, rowsIn(second).length], [30, 5]);
    assert.equal(linkIn(second, /Newest/), `${LIST}&method=GET`);
  });

  test('tell everything about one request, and lead to the others of its caller', async () => {
    const { send, read, shows, account, admin, team } = await openWithAccount();
    stage.api.answer((request) => request.socket.destroy());
    await send('broken/path', 'POST');
    const list = await shows(LIST, /broken/);
    const path = linkIn(list, /broken/);
    const page = await read(path);
    assert.match(page, /<h1[^>]*>POST \/broken\/path<\/h1>/);
    assert.match(page, /Patchbay answered\./);
    const [token] = await stage.app.database.all<{ id: string; name: string }>(
      'select id, name from access_tokens where user_id = $1 and team_id = $2',
      [admin.user.id, team.id],
    );
    const { Time, Took, ...facts } = factsIn(page);
    assert.match(`${Time} ${Took}`, /^.+, \d\d:\d\d:\d\d (AM|PM)? ?\d+ ms$|^.+:\d\d \d+ ms$/);
    assert.deepEqual(facts, {
      Connection: 'Acme in full',
      Account: `${account.label} ${account.id}`,
      Method: 'POST',
      Path: '/broken/path',
      Sent: '0 bytes',
      Received: '0 bytes',
      'Access token': token?.name,
      'Token ID': token?.id,
      'Token owner': admin.user.email,
      ID: path.split('/').at(-1),
    });
    assert.equal(linkIn(page, /All requests to/), LIST);
    const own = linkIn(page, /All requests by/);
    assert.equal(own, `/requests?by=${token?.id}`);
    const ofToken = await read(own);
    assert.deepEqual(rowsIn(ofToken), ['POST /broken/path']);
    assert.match(ofToken, new RegExp(`Requests by ${token?.name}`));
    assert.match(ofToken, /<span class="under">Acme in full<\/span>/);
    assert.ok((await read('/settings/tokens')).includes(`<a href="${own}">Requests<`));
    assert.equal(linkIn(page, />Requests/), LIST);
  });

  const openWithAccount = async () => {
    const opened = await open();
    const { account } = await opened.at.status(PROVIDER);
    return { ...opened, account: account as { id: string; label: string } };
  };

  test('name a caller who has requested nothing', async () => {
    const { read, admin } = await open();
    const [token] = await stage.app.database.all<{ id: string; name: string }>(
      'select id, name from access_tokens where user_id = $1',
      [admin.user.id],
    );
    const title = async (by: string): Promise<string> =>
      /<h1[^>]*>(.*?)<\/h1>/.exec(await read(`/requests?by=${by}`))?.[1] ?? '';
    assert.equal(await title(token?.id ?? ''), `Requests by ${token?.name}`);
    assert.equal(await title(`user:${admin.user.id}`), `Requests by ${admin.user.email}`);
    assert.equal(await title('operator'), 'Requests by Operator');
    assert.equal(await title('user:nobody'), 'Requests by a former member');
    assert.equal(await title(NOBODYS), 'Requests by an access token that no longer exists');
  });

  test('refuse what is no filter, and know no request of this ID', async () => {
    const { read } = await open();
    for (const query of [
      'result=6xx',
      'method=TRACE',
      'since=2026-13-99',
      'since=2026-02-30',
      'cursor=x',
      `by=${'x'.repeat(101)}`,
    ])
      await read(`/requests?${query}`, 400);
    await read('/requests/unknown', 404);
    await read(`/requests/${NOBODYS}`, 404);
  });
});
