import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, createTestClock } from '../harness/app.ts';

const PER_MINUTE = 20;

test('someone requesting unknown paths over and over is slowed down', async (context) => {
  const env = { PATCHBAY_RATE_LIMIT: String(PER_MINUTE) };
  const stage = await createTestApp('sqlite', { env, clock: createTestClock() });
  context.after(stage.close);
  const ask = async (url: string, remoteAddress = '192.0.2.1') =>
    (await stage.server.inject({ url, remoteAddress })).statusCode;
  for (let count = 0; count < PER_MINUTE; count++) assert.equal(await ask(`/nothing/${count}`), 404);
  assert.equal(await ask('/nothing/more'), 429);
  assert.equal(await ask('/api/nothing'), 429);
  assert.equal(await ask('/nothing', '192.0.2.2'), 404, 'Somebody else is not.');
});

test('an unknown path is compared with patterns that already exist', async (context) => {
  const stage = await createTestApp('sqlite');
  context.after(stage.close);
  const ask = () => stage.server.inject({ url: '/api/nothing' });
  await ask();
  let compiled = 0;
  const construct = (target: RegExpConstructor, parts: [string]): RegExp => {
    compiled++;
    return Reflect.construct(target, parts);
  };
  const original = globalThis.RegExp;
  context.after(() => Object.assign(globalThis, { RegExp: original }));
  Object.assign(globalThis, { RegExp: new Proxy(original, { construct }) });
  assert.equal((await ask()).statusCode, 404);
  // The tool that injects requests compiles a few.
  assert.ok(compiled < 10, `${compiled} patterns were compiled`);
});
