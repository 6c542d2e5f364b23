import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { openProxyStage } from '../harness/proxy-stage.ts';
import { printRequest } from '../harness/raw-http.ts';
import { skipAhead } from '../harness/skip-ahead.ts';
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
      const socket = connect(stage.port, '127.0.0.1')
        .setEncoding('latin1')
        .on('error', () => undefined);
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

const LONG = 1024 * 1024 + 1024;
/** How much of it comes after its caller has lost their rights. */
const END = 'decisive'.length;
/** Rights that were looked up are used again for less than that. */
const CACHED_MS = 2_000;
/** How often it's checked while a response is passed on. */
const WATCHED_EVERY_MS = 10_000;

describe('a proxied request that outlasts its caller', () => {
  const stage = useStage(() => openProxyStage('sqlite'));

  type Answer = (incoming: IncomingMessage, response: ServerResponse) => void;
  const answers = new Map<string, Answer>();
  const answerAt = (name: string, answer: Answer): void => {
    answers.set(name, answer);
    stage.api.answer((incoming, response) => answers.get(incoming.url?.split('/').at(-1) ?? '')?.(incoming, response));
  };

  const openTeam = async () => {
    const team = await stage.connected();
    const { headers } = team.admin;
    const url = `/api/members/${team.member.user.id}`;
    await stage.server.inject({ method: 'PATCH', url, headers, payload: { role: 'admin' } });
    return team;
  };
  type Team = Awaited<ReturnType<typeof openTeam>>;

  const send = async ({ member }: Team, method: 'DELETE' | 'POST', url: string): Promise<void> => {
    const { statusCode, body } = await stage.server.inject({ method, url, headers: member.headers });
    assert.ok(statusCode < 300, body);
  };
  const disconnect = (team: Team): Promise<void> => send(team, 'POST', '/api/integrations/acme-full/disconnect');

  const ENDS: Record<string, (team: Team) => Promise<void>> = {
    'its caller was removed': (team) => send(team, 'DELETE', `/api/members/${team.admin.user.id}`),
    'its account was disconnected': disconnect,
    'its account was disconnected and connected again': async (team) => {
      const { account } = await team.at.status('acme-full');
      await disconnect(team);
      await team.at.connect('acme-full', account?.id ?? assert.fail());
    },
    'another account took its place': (team) => team.at.connect('acme-full', stage.newAccount(), { replace: true }),
  };

  for (const [how, endIt] of Object.entries(ENDS)) {
    test(`passes on nothing that is sent after ${how}`, async () => {
      const team = await openTeam();
      const name = `order-${team.team.id}`;
      let got = '';
      answerAt(name, (incoming) => {
        incoming.setEncoding('latin1').on('data', (text) => {
          got += text;
        });
      });
      const sent = printRequest(stage.proxied(name), {
        method: 'POST',
        headers: [
          ['Host', 'localhost:3000'],
          ['Authorization', team.admin.headers.authorization],
        ],
        body: 'decisive'.padStart(LONG, ' '),
      });
      const socket = connect(stage.port, '127.0.0.1')
        .setEncoding('latin1')
        .on('error', () => undefined);
      let answer = '';
      socket.on('data', (text) => {
        answer += text;
      });
      socket.write(sent.subarray(0, -END));
      await waitUntil('the provider has all but the end', () => got.length === LONG - END);
      await endIt(team);
      skipAhead(CACHED_MS);
      socket.write(sent.subarray(-END));
      await waitUntil('there is a response', () => answer.startsWith('HTTP/1.1 '));
      socket.destroy();
      assert.match(answer, /^HTTP\/1\.1 4(01|03|09) /);
      assert.ok(!got.includes('decisive'));
    });

    test(`gets no more of a response after ${how}`, async (context) => {
      const team = await openTeam();
      context.mock.timers.enable({ apis: ['setInterval'] });
      const name = `stream-${team.team.id}`;
      let stream: ServerResponse | undefined;
      answerAt(name, (_incoming, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('before');
        stream = response;
      });
      const request = stage.begin(stage.proxied(name), { headers: team.admin.headers });
      request.end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.resume().on('error', () => undefined);
      await endIt(team);
      context.mock.timers.tick(WATCHED_EVERY_MS);
      await waitUntil('it is cut off', () => response.closed);
      assert.equal(response.complete, false);
      await waitUntil('the provider is told', () => stream?.closed ?? false);
    });
  }
});
