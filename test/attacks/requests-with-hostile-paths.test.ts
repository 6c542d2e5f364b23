import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dumpPostgresql, findCanaries, makeCanary, readFiles } from '../harness/canaries.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { openRequestLog } from '../harness/request-log.ts';
import { useStage } from '../harness/use-stage.ts';

const MARKUP = `x/<script>alert(1)</script>"onmouseover='alert(2)'&lt;`;

onOneEngine('a request with a hostile path', (engine) => {
  const stage = useStage(() => openProxyStage(engine));

  const textOf = (page: string): string =>
    page
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&');

  test('is shown as text, with everything that looks like markup', async () => {
    const { visit, send } = await openRequestLog(stage);
    const id = await send(MARKUP);
    for (const path of ['/requests?provider=acme-full', '/requests', `/requests/${id}`]) {
      const { statusCode, body } = await visit(path);
      assert.equal(statusCode, 200, path);
      assert.doesNotMatch(body, /<script(?! type="module" src="\/assets\/)|<[^>]+\son\w+\s*=/, path);
      assert.ok(textOf(body).includes(`GET /${MARKUP}`), path);
    }
  });

  test('is shown only in part in a list, if it is very long, so that no page is large', async () => {
    const { visit, send } = await openRequestLog(stage);
    const long = `long/${'y'.repeat(8_000)}`;
    const ids = [await send(long), await send(`${long}/2`)];
    const list = await visit('/requests?provider=acme-full');
    assert.doesNotMatch(list.body, /y{100}/);
    assert.ok(list.body.length < 20_000, `${list.body.length} characters`);
    const page = await visit(`/requests/${ids[0]}`);
    assert.ok(page.body.includes(`/${long}<`));
    const [title = ''] = /<title>.*<\/title>/.exec(page.body) ?? [];
    assert.ok(title.length < 120, title);
  });

  test('is stored sealed with a secret in it, and is in no log, address, or error', async () => {
    const { visit, send } = await openRequestLog(stage);
    const canaries = { 'in the path': makeCanary(), 'in the query': makeCanary() };
    const id = await send(`hooks/${canaries['in the path']}?key=${canaries['in the query']}`);
    stage.api.answer((request) => request.socket.destroy());
    const broken = await send(`hooks/${canaries['in the path']}/broken`);
    stage.api.reset();
    const url = stage.config.databaseUrl?.reveal();
    const places = {
      ...readFiles(stage.config.data),
      ...(url ? await dumpPostgresql(url) : {}),
      log: JSON.stringify(stage.lines),
      'the refusal of a cursor': (await visit(`/requests?cursor=${id}`)).body,
    };
    assert.deepEqual(findCanaries(canaries, places), []);
    assert.notDeepEqual(findCanaries({ provider: 'acme-full' }, places), [], 'The search finds what is there.');
    for (const one of [id, broken]) {
      const { body, headers } = await visit(`/requests/${one}`);
      assert.ok(body.includes(canaries['in the path']));
      assert.ok(!body.includes(canaries['in the query']));
      assert.doesNotMatch(JSON.stringify(headers), /canary/);
      for (const [, address] of body.matchAll(/(?:href|src|action)="([^"]*)"/g))
        assert.doesNotMatch(String(address), /canary/);
    }
  });
});
