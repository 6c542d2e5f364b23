import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { newEndpointSecret, signEvent } from '../../src/events/endpoints/endpoint.ts';
import { findFreePort } from '../harness/free-port.ts';
import { waitUntil } from '../harness/wait-until.ts';

const [, PROGRAM = ''] = /^```python\n(import .*?)^```$/ms.exec(readFileSync('docs/events.md', 'utf8')) ?? [];
const SKIP = spawnSync('python3', ['-c', 'import http.server']).status === 0 ? false : 'python3 is not installed';

test('the receiver in docs/events.md believes only what is signed now', { skip: SKIP }, async (context) => {
  const port = await findFreePort();
  const secret = newEndpointSecret();
  const env = { PATH: process.env['PATH'] ?? '', PORT: String(port), PATCHBAY_EVENT_SECRET: secret.reveal() };
  const child = spawn('python3', ['-c', PROGRAM], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  context.after(() => child.kill());
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const body = JSON.stringify({ id: 'evt_1', type: 'call.missed', sequence: 7, team: { key: 'Zoë' }, data: {} });
  const send = async (text = body, at = Date.now(), secrets = [secret]): Promise<number> => {
    const headers = signEvent(secrets, { id: 'evt_1', at, body });
    return (await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', headers, body: text })).status;
  };
  await waitUntil('the receiver is ready', () => send('').then(Boolean, () => false));
  assert.equal(await send(`${body} `), 400);
  assert.equal(await send(body, Date.now() - 6 * 60_000), 400);
  assert.equal(await send(body, Date.now(), [newEndpointSecret()]), 400);
  assert.equal((await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', body })).status, 400);
  assert.equal(await send(), 204);
  assert.equal(await send(body, Date.now(), [newEndpointSecret(), secret]), 204, 'While a secret is replaced.');
  await waitUntil('both are printed', () => printed === '7 call.missed Zoë\n'.repeat(2));
});
