import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { createPipeliningGuard } from './pipelining-guard.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

test('a connection that keeps sending without reading responses is closed, and one that waits is not', async () => {
  const guard = createPipeliningGuard();
  const begun: ServerResponse[] = [];
  const unanswered = createServer((request, response) => {
    if (guard.admit(request, response)) begun.push(response);
    else for (const waiting of begun) waiting.end();
  }).listen(0, '127.0.0.1');
  await once(unanswered, 'listening');
  const greedy = connect((unanswered.address() as AddressInfo).port, '127.0.0.1');
  greedy.on('error', () => undefined);
  greedy.resume().write(REQUEST.repeat(200));
  await once(greedy, 'close');
  assert.equal(begun.length, 4);
  unanswered.close();

  const answered = createServer((request, response) => {
    if (guard.admit(request, response)) response.end('here');
  }).listen(0, '127.0.0.1');
  await once(answered, 'listening');
  const patient = connect((answered.address() as AddressInfo).port, '127.0.0.1');
  for (let asked = 0; asked < 60; asked++) {
    patient.write(REQUEST);
    await once(patient, 'data');
  }
  assert.equal(patient.destroyed, false);
  patient.destroy();
  answered.close();
});
