import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { useStage } from '../harness/use-stage.ts';

const PROVIDER = 'acme-full';

onOneEngine('a restricted token that may POST', (engine) => {
  const stage = useStage(() => openProxyStage(engine, {}, { PATCHBAY_RATE_LIMIT: '1000000' }));
  beforeEach(() => stage.api.reset());
  const allowing = async (...allow: Record<string, unknown>[]) => {
    const team = await stage.connected();
    const own = allow.map((one) => ({ provider: PROVIDER, ...one }));
    return { ...team, token: await makeToken(stage.server, team.admin.headers, { allow: own }) };
  };

  const forms: [type: string, body: string][] = [
    ['application/x-www-form-urlencoded', '_method=DELETE'],
    ['application/x-www-form-urlencoded; charset=utf-8', 'title=x&%5fmethod=put'],
    [
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="_method"\r\n\r\nDELETE\r\n--b--\r\n',
    ],
  ];
  const plain: typeof forms = [
    ['application/x-www-form-urlencoded', 'title=x&payment_method=card&method=flickr.photos.search'],
    ['multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nx\r\n--b--\r\n'],
    ['application/json', '{"title":"x"}'],
  ];
  for (const [type, body] of plain)
    test(`sends a plain body: ${type}`, async () => {
      const { token } = await allowing({ methods: ['POST'], paths: ['/tickets/*'] });
      const headers = { ...token, 'content-type': type, 'content-length': String(body.length) };
      assert.equal((await stage.call(stage.proxied('tickets/7'), { method: 'POST', headers, body })).status, 200);
      assert.equal(stage.api.received[0]?.body, body);
    });

  test('sends no form with so many fields that looking through them would hold others up', async () => {
    const { token } = await allowing({ methods: ['POST'] });
    const body = 'a=b&'.repeat(100_000);
    const headers = {
      ...token,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(body.length),
    };
    assert.equal((await stage.call(stage.proxied('tickets'), { method: 'POST', headers, body })).status, 403);
    assert.equal(stage.api.received.length, 0);
  });

  for (const [type, body] of forms)
    test(`sends no form that makes servers read another method: ${type} ${body.slice(0, 30)}`, async () => {
      const { token } = await allowing({ methods: ['GET', 'POST'], paths: ['/tickets/*'] });
      const headers = { ...token, 'content-type': type, 'content-length': String(body.length) };
      const answer = await stage.call(stage.proxied('tickets/7'), { method: 'POST', headers, body });
      assert.equal(answer.status, 403, `sent: ${JSON.stringify(stage.api.received[0]?.body)}`);
    });

  for (const [name, value] of [
    ['X-HTTP-Verb', 'DELETE'],
    ['X-Verb', 'DELETE'],
    ['X-Tunneled-Verb', 'DELETE'],
  ] as const)
    test(`sends no ${name}`, async () => {
      const { token } = await allowing({ paths: ['/user'] });
      const answer = await stage.call(stage.proxied('user'), { headers: { ...token, [name]: value } });
      assert.equal(answer.status, 403);
    });
});
