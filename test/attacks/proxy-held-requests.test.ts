import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { printRequest } from '../harness/raw-http.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

describe('a proxied request whose body comes after its caller has lost their rights', () => {
  const stage = useStage(() => openProxyStage('sqlite'));

  for (const [how, change] of Object.entries({
    'they were removed': { method: 'DELETE' as const },
    'they were made a member': { method: 'PATCH' as const, payload: { role: 'member' } },
  }))
    test(`never reaches the provider: ${how}`, async () => {
      const { admin, member } = await stage.connected();
      const urlOf = (id: string): string => `/api/members/${id}`;
      const { headers } = admin;
      const payload = { role: 'admin' };
      await stage.server.inject({ method: 'PATCH', url: urlOf(member.user.id), headers, payload });
      stage.api.reset();
      const socket = connect(stage.port, '127.0.0.1').setEncoding('latin1');
      const arrived = once(stage.server.server, 'request');
      let answer = '';
      socket.on('data', (text) => {
        answer += text;
      });
      const sent = printRequest(stage.proxied('payments'), {
        method: 'POST',
        headers: [
          ['Host', 'localhost:3000'],
          ['Authorization', headers.authorization],
        ],
        body: 'held',
      });
      socket.write(sent.subarray(0, -1));
      await arrived;
      const changed = await stage.server.inject({ ...change, url: urlOf(admin.user.id), headers: member.headers });
      assert.ok(changed.statusCode < 300, changed.body);
      socket.write(sent.subarray(-1));
      await waitUntil('there is a response', () => answer.startsWith('HTTP/1.1 '));
      socket.destroy();
      assert.match(answer, /^HTTP\/1\.1 40[13] /);
      assert.equal(stage.api.received.length, 0);
    });
});
