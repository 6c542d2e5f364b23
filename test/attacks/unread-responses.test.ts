import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECRETS } from '../harness/app.ts';
import { readResidentMegabytes } from '../harness/resident-memory.ts';
import { openServeStage } from '../harness/serve-stage.ts';

const CONNECTIONS = 300;
/** In one packet, without reading any of the responses. */
const REQUESTS = 'GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** Each file is more than a megabyte: one copy per response would be gigabytes. */
const MOST_MEGABYTES = 150;

test('a file has one spelling, and nothing else is held in memory', async (context) => {
  const stage = openServeStage(context);
  const serving = await stage.serve({ ...SECRETS, PATCHBAY_DATA: stage.newDirectory() });
  await serving.ready();
  const ask = async (path: string): Promise<number | undefined> => {
    const [asked, answered] = [request({ port: serving.port, host: '127.0.0.1', path }).end(), new AbortController()];
    const late = setTimeout(() => answered.abort(), 5_000);
    const [answer] = await once(asked, 'response', { signal: answered.signal });
    clearTimeout(late);
    answer.resume();
    return answer.statusCode;
  };
  assert.equal(await ask('/docs/static/swagger-ui.css'), 200);
  assert.equal(await ask('/docs/static/%73wagger-ui.css'), 404);
  assert.equal(await ask('/docs/static/../../api/calls/1'), 404);
  assert.equal(await ask('/docs/'), 200);
});

for (const [what, times] of [
  ['as many as a connection may have', 4],
  ['more than a connection may have', 19],
] as const)
  test(`responses nobody reads hold little memory: ${what}`, async (context) => {
    const stage = openServeStage(context);
    const serving = await stage.serve({ ...SECRETS, PATCHBAY_DATA: stage.newDirectory() });
    await serving.ready();
    // The pages are built once, no matter who requests them.
    await (await serving.fetch('/docs/static/swagger-ui-bundle.js')).arrayBuffer();
    const before = readResidentMegabytes(serving.pid);
    for (let count = 0; count < CONNECTIONS; count++) {
      const socket = connect(serving.port, '127.0.0.1', () => socket.write(REQUESTS.repeat(times)));
      socket.on('error', () => undefined).pause();
      context.after(() => socket.destroy());
    }
    await sleep(2_000);
    const held = readResidentMegabytes(serving.pid) - before;
    context.diagnostic(`${held.toFixed(0)} MB for ${CONNECTIONS * times} answers`);
    assert.ok(held < MOST_MEGABYTES, `${held} MB`);
    assert.equal((await serving.fetch('/healthz')).status, 200);
  });
