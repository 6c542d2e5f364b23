import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { startCollector } from '../../test/harness/otlp-collector.ts';
import { useStage } from '../../test/harness/use-stage.ts';
import { createOutbound, Secret } from '../platform/index.ts';
import { checkCollector } from './check-collector.ts';
import { examine } from './finding.ts';

const KEY = 'key-of-the-collector-0123456789';

describe('the doctor', () => {
  const stage = useStage(startCollector);
  const ownOutbound = createOutbound({ allowPrivate: false });
  afterEach(() => {
    stage.respond = stage.accept;
  });

  const check = async (url = stage.url) => {
    const collector = { url: `${url}/v1/traces`, headers: new Secret(`api-key=${KEY}`), serviceName: 'patchbay' };
    const [finding] = [
      await examine('collector', 'Look at it.', () => checkCollector({ ownOutbound, collector })),
    ].flat();
    assert.ok(finding);
    assert.doesNotMatch(finding.message, new RegExp(KEY));
    return finding;
  };

  test('says that the collector accepts spans', async () => {
    assert.equal((await check()).state, 'ok');
    const [{ path, headers, body } = assert.fail()] = stage.batches;
    assert.deepEqual([path, headers['api-key'], body.length], ['/v1/traces', KEY, 0]);
  });

  test('says what to do if the collector refuses them', async () => {
    stage.respond = (response) => response.writeHead(401).end(KEY);
    const { state, message } = await check();
    assert.deepEqual([state, /401.*OTEL_EXPORTER_OTLP_HEADERS/.test(message)], ['trouble', true]);
    stage.respond = (response) => response.writeHead(404).end();
    assert.match((await check()).message, /404.*OTEL_EXPORTER_OTLP_ENDPOINT/);
  });

  test('says that the collector is away', async () => {
    const gone = await startCollector();
    await gone.close();
    const { state, message } = await check(gone.url);
    assert.deepEqual([state, /ECONNREFUSED.*Look at it\./.test(message)], ['trouble', true]);
  });

  test('says nothing of a collector if there is none', async () => {
    assert.deepEqual(await checkCollector({ ownOutbound, collector: null }), []);
  });
});
