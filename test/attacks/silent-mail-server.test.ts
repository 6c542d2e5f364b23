import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { createMailer, Secret } from '../../src/platform/index.ts';
import { GATHER_MS, openAlertStage } from '../harness/alert-stage.ts';
import { createTestApp, SECRETS } from '../harness/app.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const FORTNIGHT_MS = 14 * 24 * 3_600_000;

const listen = async (server: Server) => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets,
    close(): void {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

describe("a mail server that doesn't respond", () => {
  const mail = useStage(() => listen(createServer(() => undefined)));
  const posts: string[] = [];
  const slack = useStage(() =>
    listen(
      createHttpServer((request, response) => {
        posts.push(request.url ?? '');
        request.resume();
        response.end('ok');
      }),
    ),
  );
  const stage = useStage(() =>
    createTestApp('sqlite', { env: { SMTP_URL: `smtp://${mail.host}`, MAIL_FROM: 'patchbay@example.com' } }),
  );

  test('delays no report to Slack', async () => {
    const { team, admin } = await stage.createTeam('acme');
    const ask = async (method: 'PATCH' | 'PUT', url: string, payload: object) =>
      assert.equal((await stage.server.inject({ method, url, headers: admin.headers, payload })).statusCode, 200);
    await stage.app.database.run('update teams set created_at = created_at - $1', [FORTNIGHT_MS]);
    await ask('PATCH', '/api/team', {
      reportRecipients: Array.from({ length: 20 }, (_, index) => `r${index}@acme.example`),
    });
    await ask('PUT', '/api/reports/slack', { url: `http://${slack.host}/services/acme` });
    const headers = { authorization: `Bearer ${SECRETS.CRON_SECRET}` };
    await stage.server.inject({ url: `/api/cron/weekly-report?team=${team.id}`, headers });
    stage.app.jobs.start();
    await waitUntil('it is being mailed', () => mail.sockets.size > 1);
    await waitUntil('the report is in Slack', () => posts.length > 0);
  });
});

describe("a mail server that doesn't respond to alerts", () => {
  const stage = useStage(() => openAlertStage('sqlite'));

  test('delays none in Slack: they are in another line', async () => {
    const { useSlack, breakConnection } = await stage.newTeam();
    await useSlack();
    await breakConnection('c1');
    await stage.look();
    stage.clock.advance(GATHER_MS);
    await stage.look();
    const rows = await stage.app.database.all<{ name: string }>(
      "select name from jobs where name like '%-alert' order by name",
    );
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['post-alert', 'send-alert'],
    );
  });
});

test('a mail server that drips is left in the end', async () => {
  const mail = await listen(
    createServer((socket) => {
      socket.resume().write('220 welcome\r\n');
      const timer = setInterval(() => socket.write('2'), 5);
      socket.on('close', () => clearInterval(timer));
    }),
  );
  const mailer = createMailer({ url: new Secret(`smtp://${mail.host}`), from: 'patchbay@example.com', mostMs: 200 });
  const failure = await mailer.send({ to: 'a@example.com', subject: 'hi', text: 'hi' }, async () => undefined);
  assert.deepEqual(failure, { kind: 'later', problem: 'The mail server could not be reached (ETIMEDOUT).' });
  await waitUntil('it has hung up', () => [...mail.sockets].every(({ destroyed }) => destroyed));
  mail.close();
});
