import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { createTestLog } from '../../../test/harness/app.ts';
import { startCollector } from '../../../test/harness/otlp-collector.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import { OutboundFailed } from '../outbound/outbound-failed.ts';
import { Refusal } from '../refusal.ts';
import { Secret } from '../secret.ts';
import { currentWork, JOBS, OWN, SENDING, workFor } from '../turns/owner.ts';
import { inSpan } from './in-span.ts';
import { createTracing } from './tracing.ts';

const KEY = 'key-of-the-collector-0123456789';
const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', isSampled: true };

describe('spans', () => {
  const collector = useStage(startCollector);
  afterEach(() => {
    collector.respond = collector.accept;
    collector.spans.length = 0;
    collector.batches.length = 0;
  });

  const open = async (url = collector.url) => {
    const { log, lines } = createTestLog();
    const headers = new Secret(`api-key=${KEY},x-other=a%20b`);
    const tracing = createTracing({ url: `${url}/v1/traces`, headers, serviceName: 'patchbay-test' }, log);
    const tracer = await tracing.load();
    assert.ok(tracer);
    return { tracing, tracer, lines };
  };

  test('are exported with their place in the trace', async () => {
    const { tracing, tracer } = await open();
    const server = tracer.begin({
      name: 'GET /things',
      kind: 'server',
      attributes: { 'http.route': '/things' },
      agoMs: 250,
      caller: CALLER,
    });
    const client = server.begin({ name: 'GET', kind: 'client', attributes: { 'server.port': 443, cached: false } });
    client.fail('timeout');
    client.end();
    server.set({ 'http.response.status_code': 200 });
    server.end();
    tracer.begin({ name: 'job', kind: 'internal', attributes: {} }).end();
    await tracing.close();

    const [child, parent, job] = collector.spans;
    assert.deepEqual(
      [parent?.traceId, parent?.parentSpanId, parent?.spanId],
      [CALLER.traceId, CALLER.spanId, server.context.spanId],
    );
    assert.deepEqual(parent?.attributes, { 'http.route': '/things', 'http.response.status_code': 200 });
    assert.deepEqual([parent?.name, parent?.kind, parent?.status], ['GET /things', 'server', 'unset']);
    assert.ok(parent && parent.endedAt - parent.startedAt >= 249);
    assert.deepEqual(child?.attributes, { 'server.port': 443, cached: false, 'error.type': 'timeout' });
    assert.deepEqual(
      [child?.traceId, child?.parentSpanId, child?.kind, child?.status],
      [CALLER.traceId, server.context.spanId, 'client', 'error'],
    );
    assert.deepEqual([job?.parentSpanId, job?.kind], ['', 'internal']);
    assert.notEqual(job?.traceId, CALLER.traceId);
    assert.deepEqual([child?.statusMessage, child?.events, child?.links, child?.dropped], ['', 0, 0, 0]);
    assert.equal(job?.resource['service.name'], 'patchbay-test');
    const [{ path, headers } = assert.fail()] = collector.batches;
    assert.equal(path, '/v1/traces');
    assert.deepEqual([headers['api-key'], headers['x-other']], [KEY, 'a b']);
  });

  test('of a trace that its caller does not record are not exported, and neither is what they begin', async () => {
    const { tracing, tracer } = await open();
    const caller = { ...CALLER, isSampled: false };
    const span = tracer.begin({ name: 'GET /quiet', kind: 'server', attributes: {}, caller });
    assert.deepEqual([span.context.traceId, span.context.isSampled], [CALLER.traceId, false]);
    span.begin({ name: 'GET', kind: 'client', attributes: {} }).end();
    span.end();
    tracer.begin({ name: 'another', kind: 'internal', attributes: {} }).end();
    await tracing.close();
    assert.deepEqual(
      collector.spans.map(({ name }) => name),
      ['another'],
    );
  });

  const endOne = ({ tracer }: Awaited<ReturnType<typeof open>>): void =>
    tracer.begin({ name: 'one', kind: 'internal', attributes: {} }).end();

  test('that are refused are logged once, without the credentials, and again when it works', async () => {
    const opened = await open();
    collector.respond = (response) => response.writeHead(401).end(`wrong: ${KEY}`);
    for (const number of [1, 2]) {
      endOne(opened);
      await waitUntil('they are refused', () => collector.batches.length >= number);
    }
    collector.respond = collector.accept;
    await waitUntil('they are accepted', () => {
      if (opened.lines.length < 2) endOne(opened);
      return opened.lines.length >= 2;
    });
    await opened.tracing.close();
    const [refused, accepted] = opened.lines;
    assert.deepEqual([refused?.level, refused?.fields], ['warn', { code: 401, lost: 1 }]);
    assert.deepEqual([accepted?.level, accepted?.fields], ['info', { lost: 2 }]);
    assert.equal(opened.lines.length, 2);
    assert.doesNotMatch(JSON.stringify(opened.lines), new RegExp(KEY));
  });

  test('beyond what fits are dropped while the collector is silent, and the end does not wait for it', async () => {
    const opened = await open();
    collector.respond = () => undefined;
    for (let index = 0; index < 5_000; index++) endOne(opened);
    await waitUntil('the first batch is there', () => collector.spans.length > 0);
    await opened.tracing.close();
    assert.deepEqual(opened.lines, [], 'The exporter has not given up yet.');
    await waitUntil('what waited is there', () => collector.spans.length >= 512 + 2_048);
    collector.respond = collector.accept;
    const other = await open();
    endOne(other);
    await other.tracing.close();
    assert.equal(collector.spans.length, 512 + 2_048 + 1);
  });

  test("begin with the current work, and the service's own work leaves them", async () => {
    const { tracing, tracer } = await open();
    const span = tracer.begin({ name: 'GET /things', kind: 'server', attributes: {} });
    workFor({ ...currentWork(), tracer: span }, () => {
      assert.equal(currentWork().tracer, span);
      workFor('team', () => assert.equal(currentWork().tracer, span));
      for (const owner of [OWN, JOBS, SENDING]) workFor(owner, () => assert.equal(currentWork().tracer, undefined));
    });
    await tracing.close();
  });

  test('name what failed, without its message', async () => {
    class Odd extends Error {}
    const failures: [unknown, string][] = [
      [new OutboundFailed('timeout', 'canary.example', 'canary'), 'timeout'],
      [new Refusal(409, 'things.taken', 'The canary is taken.'), 'things.taken'],
      [Object.assign(new Error('connect to canary'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
      [Object.assign(new Odd('canary'), { code: 'canary' }), 'Odd'],
      [new TypeError('canary'), 'TypeError'],
      ['canary', 'string'],
    ];
    const { tracing, tracer } = await open();
    const describeWork = () => ({ name: 'work', kind: 'internal', attributes: {} }) as const;
    for (const [error] of failures) await inSpan(describeWork, () => Promise.reject(error), tracer).catch(() => null);
    assert.equal(await inSpan(describeWork, async (span) => span?.context.traceId.length, tracer), 32);
    assert.equal(await inSpan(describeWork, async (span) => span), null);
    await tracing.close();
    assert.deepEqual(
      collector.spans.map(({ status, attributes }) => [status, attributes['error.type']]),
      [...failures.map(([, name]) => ['error', name]), ['unset', undefined]],
    );
    assert.ok(!collector.bytes().includes('canary'));
  });

  test('of a service without a collector are none', async () => {
    const tracing = createTracing(null, createTestLog().log);
    assert.equal(await tracing.load(), null);
    assert.equal(tracing.tracer, null);
    await tracing.close();
  });
});
