import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SECRETS } from '../harness/app.ts';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

describe('a provider that makes up statuses', () => {
  const stage = useStage(() => openProxyStage('sqlite'));

  test('makes up no metrics: they count its responses by class', async () => {
    const { headers } = await stage.connected();
    const statuses = [200, 226, 299, 302, 399, 404, 418, 499, 500, 599, 600, 777, 999];
    for (const status of statuses)
      for (const method of METHODS) {
        stage.api.answer((_, response) => response.writeHead(status).end());
        await stage.call(stage.proxied('x'), { method, headers });
      }
    const authorization = `Bearer ${SECRETS.METRICS_TOKEN}`;
    const { body } = await stage.server.inject({ url: '/metrics', headers: { authorization } });
    const lines = body.split('\n').filter((line) => /request_seconds_count.*\/proxy\//.test(line));
    const classes = new Set(lines.map((line) => /status="([^"]*)"/.exec(line)?.[1]));
    assert.deepEqual([...classes].sort(), ['2xx', '3xx', '4xx', '5xx', '6xx', '7xx', '9xx']);
    assert.equal(lines.length, METHODS.length * classes.size);
  });
});
