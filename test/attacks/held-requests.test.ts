import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { before, test } from 'node:test';
import { buildApp } from '../../src/app.ts';
import { createTestApp, createTestLog } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { listenOnLoopback, printRequest } from '../harness/raw-http.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const INVITATION = { email: 'back-door@example.com', role: 'admin' };

onOneEngine('a request whose body comes after its caller has lost their rights', (engine) => {
  const stage = useStage(() => createTestApp(engine));
  let port: number;
  before(async () => {
    port = await listenOnLoopback(stage.server);
  });

  const ask = (method: 'GET' | 'PATCH' | 'DELETE' | 'POST', url: string, headers: object, payload?: object) =>
    stage.server.inject({ method, url, headers: { ...headers }, ...(payload && { payload }) });

  /** Two admins: one loses their rights, the other one sees to it. */
  const createAdmins = async () => {
    const { admin, member, team } = await stage.createTeam(`team-${stage.app.newId().slice(-12)}`);
    await ask('PATCH', `/api/members/${member.user.id}`, admin.headers, { role: 'admin' });
    return { former: admin, other: member, team };
  };
  type Admins = Awaited<ReturnType<typeof createAdmins>>;

  /** Only the headers. Returns a function that sends the rest, and the status of the response. */
  const beginInvitation = async ({ former }: Admins) => {
    const body = JSON.stringify(INVITATION);
    const socket = connect(port, '127.0.0.1')
      .setEncoding('latin1')
      .on('error', () => undefined);
    const arrived = once(stage.server.server, 'request');
    let answer = '';
    socket.on('data', (text) => {
      answer += text;
    });
    const headers = [
      ['Host', 'localhost:3000'],
      ['Content-Type', 'application/json'],
      ['Content-Length', String(body.length)],
      ['Authorization', former.headers.authorization],
    ] as const;
    socket.write(printRequest('/api/members', { method: 'POST', headers }));
    await arrived;
    return async (): Promise<number> => {
      socket.write(body);
      await waitUntil('there is a response', () => answer.startsWith('HTTP/1.1 '));
      socket.destroy();
      return Number(answer.slice(9, 12));
    };
  };

  const WAYS = {
    'they were removed': {
      status: 401,
      act: ({ former, other }: Admins) => ask('DELETE', `/api/members/${former.user.id}`, other.headers),
    },
    'they were made a member': {
      status: 403,
      act: ({ former, other }: Admins) =>
        ask('PATCH', `/api/members/${former.user.id}`, other.headers, { role: 'member' }),
    },
    'their token was revoked': {
      status: 401,
      async act({ former, other }: Admins) {
        const { tokens } = (await ask('GET', '/api/tokens', other.headers)).json();
        const { id } = tokens.find(({ user }: { user: { id: string } }) => user.id === former.user.id);
        return ask('DELETE', `/api/tokens/${id}`, other.headers);
      },
    },
  };

  for (const [how, { status, act }] of Object.entries(WAYS))
    test(`invites nobody: ${how}`, async () => {
      const admins = await createAdmins();
      const send = await beginInvitation(admins);
      const done = await act(admins);
      assert.ok(done.statusCode < 300, done.body);
      assert.equal(await send(), status);
    });

  test('invites, changes, and removes nobody either where another process still has them cached as an admin', async () => {
    const admins = await createAdmins();
    const { former } = admins;
    const elsewhere = buildApp(stage.config, { clock: stage.app.clock, log: createTestLog().log });
    const server = await elsewhere.createServer();
    const members = { url: '/api/members', headers: { ...former.headers } };
    assert.equal((await server.inject({ method: 'GET', ...members })).statusCode, 200);
    await WAYS['they were made a member'].act(admins);
    const own = { url: `/api/members/${former.user.id}`, headers: { ...former.headers } };
    const answers = [
      await server.inject({ method: 'POST', ...members, payload: INVITATION }),
      await server.inject({ method: 'PATCH', ...own, payload: { role: 'admin' } }),
      await server.inject({ method: 'DELETE', ...own }),
    ];
    await server.close();
    await elsewhere.close();
    for (const { statusCode, body } of answers) assert.equal(statusCode, 403, body);
  });
});
