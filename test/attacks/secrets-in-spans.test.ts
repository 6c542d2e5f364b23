// Attack: what callers, providers, and people put into a request reaches the collector, which many can read.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Canaries, findCanaries, makeCanary } from '../harness/canaries.ts';
import { OPERATOR, putCustomer } from '../harness/customers.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { CALLER, createPhoneLine, newAccountSid, newCallSid, OUR_NUMBER } from '../harness/telephony-stage.ts';
import { openTracesStage } from '../harness/traces-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

/** Every attribute that there is. Another one needs a reason why it can't hold a secret. */
const ATTRIBUTES = [
  'error.type',
  'http.request.method',
  'http.request.resend_count',
  'http.response.status_code',
  'http.route',
  'patchbay.job',
  'patchbay.provider',
  'patchbay.request_id',
  'server.address',
  'server.port',
  'url.full',
  'url.path',
  'url.scheme',
];

describe('a secret in a request', () => {
  const stage = useStage(() => openTracesStage('sqlite'));
  const receiver = useStage(startEventReceiver);

  test('is in no span: not in the path, the query, a header, or the body', async () => {
    const { api, collector, server, clock } = stage;
    const canaries: Canaries = {};
    const plant = (name: string, secret = makeCanary()): string => {
      canaries[name] = secret;
      return secret;
    };

    const team = await stage.connected();
    plant('access token', team.admin.token);
    plant('token of the provider', await team.at.token('acme-full'));
    plant('admin', team.admin.user.id);
    plant('email of the admin', team.admin.user.email ?? assert.fail());
    plant('account', (await team.at.status('acme-full')).account?.label ?? assert.fail());
    const headers = {
      ...team.headers,
      traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
      tracestate: `vendor=${plant('tracestate')}`,
      baggage: `user=${plant('baggage')}`,
      'user-agent': plant('user agent'),
      'x-key': plant('header'),
    };
    const phone = plant('phone number in the path', '15557654321');
    const path = `bot${plant('path')}/%2B${phone}/jane%40${plant('person')}.example?key=${plant('query')}`;
    const answer = (status: number): void =>
      api.answer((_, response) =>
        response
          .writeHead(status, plant(`reason ${status}`), { 'x-secret': plant(`returned header ${status}`) })
          .end(plant(`returned body ${status}`)),
      );
    for (const status of [200, 404, 500]) {
      answer(status);
      const sent = { method: 'POST', headers, body: plant(`body ${status}`) };
      assert.equal((await stage.call(stage.proxied(path), sent)).status, status);
    }
    clock.advance(120_000);
    answer(401);
    await stage.call(stage.proxied(path), { headers });
    plant('renewed token of the provider', await team.at.token('acme-full'));
    api.answer((request) => request.socket.destroy());
    assert.equal((await stage.call(stage.proxied(path), { headers })).status, 502);

    const ask = async (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) => {
      const response = await server.inject({ method, url, headers, ...(payload && { payload }) });
      return { status: response.statusCode, body: response.body };
    };
    assert.equal((await ask('DELETE', `/api/members/${plant('member in the path')}`)).status, 404);
    assert.equal((await ask('GET', `/api/calls?from=%2B${plant('number in the query', '15550001111')}`)).status, 200);
    const hook = new URL(`/hook/${plant('address of a receiver')}?t=${plant('its query')}`, receiver.url).href;
    const endpoint = JSON.parse((await ask('POST', '/api/events/endpoints', { url: hook })).body);
    plant('secret of a receiver', endpoint.secret);
    assert.equal((await ask('POST', `/api/events/endpoints/${endpoint.id}/test`)).status, 200);
    assert.equal(receiver.received.length, 1);

    const customer = plant('key of a customer');
    await putCustomer(stage, customer);
    const user = { 'patchbay-team': customer, 'patchbay-user': plant('user of a customer') };
    const asUser = await server.inject({ url: '/api/team', headers: { ...OPERATOR, ...user } });
    assert.equal(asUser.statusCode, 200, asUser.body);

    const accountId = plant('telephony account', newAccountSid());
    const account = { provider: 'twilio', accountId, secrets: [plant('secret of the telephony account')] };
    const { id } = JSON.parse((await ask('POST', '/api/telephony/accounts', account)).body);
    const line = createPhoneLine(server, { id, accountId }, account.secrets[0]);
    plant('caller', CALLER.slice(1));
    plant('called number', OUR_NUMBER.slice(1));
    assert.equal((await line.rings(plant('call', newCallSid()))).statusCode, 200);
    const forged = createPhoneLine(server, { id, accountId }, makeCanary());
    assert.equal((await forged.rings(plant('forged call', newCallSid()))).statusCode, 403);
    await server.inject({ url: `/sign-in/${plant('sign-in link')}`, headers: { accept: 'text/html' } });
    const callback = `/api/integrations/acme-full/callback?code=${plant('code')}&state=${plant('state')}`;
    assert.equal((await server.inject({ url: callback })).statusCode, 400);

    assert.equal((await ask('GET', '/api/tokens')).status, 200);
    await collector.waitFor('the last one', 1, ({ name }) => name === 'GET /api/tokens');

    const places = { bytes: collector.bytes(), spans: JSON.stringify(collector.spans) };
    assert.deepEqual(findCanaries(canaries, places), []);
    assert.ok(Object.keys(canaries).length > 30);
    assert.deepEqual(findCanaries({ control: 'acme-full', trace: TRACE }, places), [
      'control in bytes',
      'control in spans',
      'trace in spans',
    ]);
    const names = collector.spans.map(({ name }) => name);
    for (const name of [
      'POST /api/integrations/:provider/proxy/*',
      'POST /api/webhooks/telephony/voice',
      'POST /api/events/endpoints/:id/test',
      'PUT /api/operator/teams/:key',
      'DELETE /api/members/:id',
      'GET /api/integrations/:provider/callback',
      'refresh connection',
    ])
      assert.ok(names.includes(name), name);
    const used = new Set(collector.spans.flatMap(({ attributes }) => Object.keys(attributes)));
    assert.deepEqual(
      [...used].filter((name) => !ATTRIBUTES.includes(name)),
      [],
    );
    for (const { traceState, events, links, dropped, statusMessage } of collector.spans)
      assert.deepEqual([traceState, events, links, dropped, statusMessage], ['', 0, 0, 0, '']);
  });
});
