import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { openTracesStage } from '../harness/traces-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MINUTE_MS = 60_000;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';

const HAND_OUT = 'POST /api/integrations/:provider/token';
const PROXY = '/api/integrations/:provider/proxy/*';

type Listed = {
  account: { id: string; label: string } | null;
  method: string | null;
  path: string | null;
  status: number | null;
  failed: boolean;
  retried: boolean;
  by: { kind: string; id: string | null; name: string | null; userId: string };
  traceId: string | null;
};

onOneEngine('a trace', (engine) => {
  const stage = useStage(() => openTracesStage(engine));

  test('has every use of a credential, each of them listed once with its token and its account', async () => {
    const { collector, clock, api } = stage;
    const team = await stage.connected();
    const { account } = await team.at.status('acme-full');
    const old = await team.at.token('acme-full');
    const headers = { ...team.headers, traceparent: `00-${TRACE}-${CALLER}-01` };
    const send = async (path: string, options = {}) => {
      clock.advance(1_000);
      return (await stage.call(path, { headers, ...options })).status;
    };

    assert.equal(await send('/api/integrations/acme-full/token', { method: 'POST' }), 200);
    assert.equal(await send(stage.proxied('items/1?secret=yes'), { method: 'POST', body: 'hello' }), 200);
    assert.equal(api.received.at(-1)?.headers['traceparent'], undefined, 'Its entry does not say that it may know.');
    api.answer((request) => request.socket.destroy());
    assert.equal(await send(stage.proxied('broken'), { method: 'DELETE' }), 502);
    clock.advance(2 * MINUTE_MS);
    api.answer((request, response) =>
      response.writeHead(request.headers.authorization === `Bearer ${old}` ? 401 : 200).end('ok'),
    );
    assert.equal(await send(stage.proxied('renewed')), 200);

    let requests: Listed[] = [];
    const isOfTrace = ({ traceId }: Listed): boolean => traceId === TRACE;
    await waitUntil('they are listed', async () => {
      const { body } = await stage.call('/api/integrations/requests', { headers: team.headers });
      requests = JSON.parse(body).requests;
      return requests.filter(isOfTrace).length >= 4;
    });
    assert.deepEqual(
      requests.map(({ by, method, path, status, failed, retried, traceId }) =>
        [by.kind, method, path, status, failed, retried, traceId].join(' '),
      ),
      [
        `proxy GET /renewed 200 false true ${TRACE}`,
        `proxy DELETE /broken 502 true false ${TRACE}`,
        `proxy POST /items/1 200 false false ${TRACE}`,
        `hand_out   200 false false ${TRACE}`,
        `hand_out   200 false false ${requests.at(-1)?.traceId}`,
      ],
    );
    assert.equal(requests.filter(isOfTrace).length, 4);
    const [token] = await stage.app.database.all<{ id: string; name: string }>(
      'select id, name from access_tokens where user_id = $1',
      [team.admin.user.id],
    );
    for (const { by, account: used } of requests) {
      assert.deepEqual([by.id, by.name, by.userId], [token?.id, token?.name, team.admin.user.id]);
      assert.deepEqual(used, account);
    }

    const isServer = ({ traceId, kind }: { traceId: string; kind: string | undefined }): boolean =>
      traceId === TRACE && kind === 'server';
    await collector.waitFor('requests', 4, isServer);
    const spans = collector.spans.filter(({ traceId }) => traceId === TRACE);
    const childrenOf = (parent: string) =>
      spans.filter(({ parentSpanId }) => parentSpanId === parent).sort((one, other) => one.startedAt - other.startedAt);
    const [handOut, sent, broken, renewed] = childrenOf(CALLER);
    assert.deepEqual(
      childrenOf(CALLER).map(({ name, kind, status, attributes }) => [
        name,
        kind,
        status,
        attributes['http.response.status_code'],
        attributes['patchbay.provider'],
      ]),
      [
        [HAND_OUT, 'server', 'unset', 200, 'acme-full'],
        [`POST ${PROXY}`, 'server', 'unset', 200, 'acme-full'],
        [`DELETE ${PROXY}`, 'server', 'error', 502, 'acme-full'],
        [`GET ${PROXY}`, 'server', 'unset', 200, 'acme-full'],
      ],
    );
    const port = Number(new URL(api.url).port);
    assert.deepEqual(childrenOf(handOut?.spanId ?? ''), []);
    assert.deepEqual(
      childrenOf(sent?.spanId ?? '').map(({ name, kind, status, attributes }) => ({ name, kind, status, attributes })),
      [
        {
          name: 'POST',
          kind: 'client',
          status: 'unset',
          attributes: {
            'http.request.method': 'POST',
            'url.full': `${api.url}/REDACTED`,
            'server.address': '127.0.0.1',
            'server.port': port,
            'http.response.status_code': 200,
          },
        },
      ],
    );
    const failed = childrenOf(broken?.spanId ?? '');
    assert.ok(failed.length > 0);
    for (const [index, { attributes, status }] of failed.entries()) {
      assert.equal(status, 'error');
      assert.equal(attributes['http.response.status_code'], undefined);
      assert.equal(attributes['http.request.resend_count'], index === 0 ? undefined : index);
      assert.match(String(attributes['error.type']), /^(?:network|UND_ERR_SOCKET|ECONNRESET)$/);
    }
    const [refused, refresh, repeated, ...others] = childrenOf(renewed?.spanId ?? '');
    assert.deepEqual(others, []);
    const statusOf = (span = refused) => [
      span?.kind,
      span?.status,
      span?.attributes['http.response.status_code'],
      span?.attributes['http.request.resend_count'],
      span?.attributes['error.type'],
    ];
    assert.deepEqual(statusOf(refused), ['client', 'error', 401, undefined, '401']);
    assert.deepEqual([refresh?.name, refresh?.kind, refresh?.status], ['refresh connection', 'internal', 'unset']);
    assert.deepEqual(statusOf(repeated), ['client', 'unset', 200, 1, undefined]);
    const [asked, ...more] = childrenOf(refresh?.spanId ?? '');
    assert.deepEqual(more, []);
    assert.deepEqual(statusOf(asked), ['client', 'unset', 200, undefined, undefined]);
    assert.equal(asked?.attributes['server.port'], Number(new URL(stage.oauth.issuer).port));
    assert.equal(spans.length, 4 + 1 + failed.length + 3 + 1);
  });
});

/** An API that may know the trace of each request. */
const TOLD = { traceparent: true };

onOneEngine('a trace at a provider', (engine) => {
  const stage = useStage(() => openTracesStage(engine, TOLD));
  const receiver = useStage(startEventReceiver);

  const traceparentOf = (): string[] => String(stage.api.received.at(-1)?.headers['traceparent']).split('-');

  test('is told to it if its entry says so, without what the caller added', async () => {
    const { api, collector } = stage;
    const { headers } = await stage.connected();
    const named = { ...headers, traceparent: `00-${TRACE}-${CALLER}-01`, tracestate: 'vendor=x' };
    await stage.call(stage.proxied('named'), { headers: named });
    const [, traceId, spanId, flags] = traceparentOf();
    assert.equal(api.received.at(-1)?.headers['tracestate'], undefined);
    assert.deepEqual([traceId, flags], [TRACE, '01']);
    await stage.call(stage.proxied('quiet'), { headers: { ...named, traceparent: `00-${TRACE}-${CALLER}-00` } });
    assert.deepEqual([traceparentOf()[1], traceparentOf()[3]], [TRACE, '00']);
    await stage.call(stage.proxied('unnamed'), { headers: { ...headers, traceparent: 'not-valid' } });
    const [, own, ownSpan] = traceparentOf();
    assert.notEqual(own, TRACE);
    const isClient = ({ kind }: { kind: string | undefined }): boolean => kind === 'client';
    await collector.waitFor('the last request', 1, ({ spanId: id }) => id === ownSpan);
    assert.deepEqual(
      collector.spans
        .filter((span) => isClient(span) && [TRACE, own].includes(span.traceId))
        .map((span) => span.spanId),
      [spanId, ownSpan],
    );
  });

  test('has jobs, and events that are sent, only if they are the work of its request', async () => {
    const { app, collector, clock } = stage;
    const team = await stage.connected();
    await stage.server.inject({
      ...{ method: 'POST', url: '/api/events/endpoints', headers: team.headers },
      payload: { url: receiver.url },
    });
    app.events.sending.start();
    clock.advance(120 * MINUTE_MS);
    app.jobs.start();
    await team.at.connect('acme-full', stage.newAccount(), { connection: 'another' });
    const { port } = new URL(receiver.url);
    const [sent] = await collector.waitFor(
      'the event',
      1,
      ({ attributes }) => attributes['server.port'] === Number(port),
    );
    assert.deepEqual([sent?.kind, sent?.name, sent?.parentSpanId, sent?.status], ['client', 'POST', '', 'unset']);
    const [job] = await collector.waitFor('the job', 1, ({ name }) => name === 'job refresh-due');
    assert.deepEqual([job?.kind, job?.parentSpanId, job?.status], ['internal', '', 'unset']);
    const [refresh] = await collector.waitFor('the refresh', 1, ({ parentSpanId }) => parentSpanId === job?.spanId);
    assert.deepEqual([refresh?.name, refresh?.traceId], ['refresh connection', job?.traceId]);
    const [asked] = await collector.waitFor('its request', 1, ({ parentSpanId }) => parentSpanId === refresh?.spanId);
    assert.deepEqual([asked?.name, asked?.kind, asked?.traceId], ['POST', 'client', job?.traceId]);
  });
});

onOneEngine('a collector that says nothing', (engine) => {
  test('holds up neither requests nor the end of the service', async () => {
    const stage = await openTracesStage(engine);
    const { collector, lines } = stage;
    collector.respond = () => undefined;
    const { headers } = await stage.connected();
    await collector.waitFor('the first batch', 1, () => true);
    assert.equal((await stage.call(stage.proxied('x'), { headers })).status, 200);
    await stage.close();
    assert.ok(collector.batches.length > 1, 'At the end, what waits is sent.');
    assert.ok(!lines.some(({ message }) => message.includes('spans')), 'The exporter has not given up yet.');
  });
});

onOneEngine('a trace without a collector', (engine) => {
  const stage = useStage(() => openProxyStage(engine, TOLD));

  test("is the caller's: it is listed, and told to a provider whose entry says so", async () => {
    const { headers } = await stage.connected();
    for (const traceparent of [`00-${TRACE}-${CALLER}-01`, 'not-valid']) {
      stage.clock.advance(1_000);
      await stage.call(stage.proxied('x'), { headers: { ...headers, traceparent } });
    }
    assert.deepEqual(
      stage.api.received.map((received) => received.headers['traceparent']),
      [`00-${TRACE}-${CALLER}-01`, undefined],
    );
    let listed: Listed[] = [];
    await waitUntil('they are listed', async () => {
      const { body } = await stage.call('/api/integrations/requests', { headers });
      listed = JSON.parse(body).requests;
      return listed.length === 2;
    });
    assert.deepEqual(
      listed.map(({ traceId }) => traceId),
      [null, TRACE],
    );
  });
});
