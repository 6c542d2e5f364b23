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
    [
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b\r\nContent-Disposition: form-data; name="method"\r\n\r\ndelete\r\n--b--\r\n',
    ],
    [
      'multipart/form-data; boundary=b',
      `--b\r\nContent-Disposition: form-data; name*=utf-8''_method\r\n\r\nPUT\r\n--b--\r\n`,
    ],
    ['multipart/mixed; boundary=b', '--b\r\nContent-Disposition: form-data; name="_method"\r\n\r\nPUT\r\n--b--\r\n'],
    ['multipart/related; boundary=b', '--b\r\nContent-ID: <_method>\r\n\r\nDELETE\r\n--b--\r\n'],
  ];
  const plain: typeof forms = [
    ['application/x-www-form-urlencoded', 'title=x&payment_method=card&method=flickr.photos.search'],
    ['multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nx\r\n--b--\r\n'],
    [
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="method"\r\n\r\ncard\r\n--b--\r\n',
    ],
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

  for (const [what, others] of Object.entries<Record<string, string | string[]>>({
    'with a second type': { 'content-type': ['application/json', 'application/x-www-form-urlencoded'] },
    'with a second type in another spelling': {
      'content-type': 'application/json',
      content_type: 'application/x-www-form-urlencoded',
    },
    'whose type is not sent': { 'content-type': 'application/json', connection: 'content-type' },
  }))
    test(`sends no form ${what}`, async () => {
      const { token } = await allowing({ methods: ['POST'], paths: ['/tickets/*'] });
      const body = '_method=DELETE';
      const headers = { ...token, ...others, 'content-length': String(body.length) };
      const answer = await stage.call(stage.proxied('tickets/7'), { method: 'POST', headers, body });
      assert.equal(answer.status, 403);
      assert.equal(stage.api.received.length, 0);
    });

  test('sends no header and no field with which the credential acts for another account', async () => {
    const { token } = await allowing({ paths: ['/user'] });
    const names = ['Sudo', 'Assume-User', 'PayPal-Auth-Assertion', 'MSCRMCallerID', 'CallerObjectId', 'Api_Username'];
    const more = ['ImpersonationResourceId', 'X-Redmine-Switch-User', 'ES-Security-RunAs-User'];
    for (const name of [...names, ...more]) {
      const answer = await stage.call(stage.proxied('user'), { headers: { ...token, [name]: 'someone' } });
      assert.equal(answer.status, 403, name);
    }
    for (const field of ['sudo=1', 'a=b&onBehalfOfContentOwner=x', '%73udo=1', 'impersonate_user=2', 'runAs=x']) {
      const answer = await stage.call(stage.proxied(`user?${field}`), { headers: token });
      assert.equal(answer.status, 403, field);
    }
    assert.equal(stage.api.received.length, 0);
    assert.equal((await stage.call(stage.proxied('user?pseudo=1&behalf=2'), { headers: token })).status, 200);
  });

  test("removes none of the entry's own headers, and neither does anybody else", async () => {
    const { token, headers } = await allowing({ paths: ['/user'] });
    const steered = { connection: 'x-version' };
    assert.equal((await stage.call(stage.proxied('user'), { headers: { ...token, ...steered } })).status, 403);
    assert.equal((await stage.call(stage.proxied('user'), { headers: { ...headers, ...steered } })).status, 200);
    assert.equal(stage.api.received[0]?.headers['x-version'], '2026-01');
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
