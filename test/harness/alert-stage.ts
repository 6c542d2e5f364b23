import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type App, buildApp } from '../../src/app.ts';
import type { EventType, NewEvent } from '../../src/events/index.ts';
import type { Engine } from '../../src/platform/index.ts';
import { createTestApp, createTestClock, createTestLog } from './app.ts';
import { startMailServer } from './mail-server.ts';

/** The longest that an ended grant is described with. */
export const LAST_ERROR = `The provider no longer accepts this connection. It was revoked, expired, or used elsewhere. The error code was "${'a'.repeat(64)}".`;

export const GATHER_MS = 20_000;

/** Quoted-printable, without line breaks that only fold. */
const decode = (raw: string): string => {
  const bytes = raw
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
};

type SlackPost = { path: string | undefined; message: { text: string; blocks: object[] } };

/** A stand-in for Slack's webhooks: it takes what is posted. */
export const startSlack = async () => {
  const received: SlackPost[] = [];
  const server = createServer(async (request, response) => {
    received.push({ path: request.url, message: (await json(request)) as SlackPost['message'] });
    response.end('ok');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    received,
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** Sends what is queued. */
export const sendAlerts = async ({ database, notices }: App): Promise<void> => {
  const queued = await database.all<{ id: string; teamId: string; attempts: number }>(
    `select id, team_id as "teamId", attempts from event_alert_dispatches where state in ('queued', 'sending')`,
  );
  for (const { id, teamId, attempts } of queued)
    await notices.alerts.send({ teamId, dispatchId: id, attempt: attempts + 1 });
};

/** As if they had signed in with a link from their mailbox. */
export const proveAddress = (database: App['database'], userId: string): Promise<number> =>
  database.run('update users set proved_at = created_at where id = $1', [userId]);

/** An application with a mail server and a Slack, in which a test says when time passes and when alerts are looked for. */
export const openAlertStage = async (engine: Engine) => {
  const mail = await startMailServer();
  const slack = await startSlack();
  const clock = createTestClock();
  const env = {
    SMTP_URL: mail.url,
    MAIL_FROM: 'Patchbay <patchbay@hooks.example>',
  };
  const house = await createTestApp(engine, { clock, env });
  const { database } = house.app;
  const others: App[] = [];
  let made = 0;

  const record = (...events: NewEvent[]) => database.transaction((tx) => house.app.events.record(tx, ...events));

  const send = (app: App = house.app): Promise<void> => sendAlerts(app);

  return {
    ...house,
    clock,
    mail,
    slack,
    record,
    send,
    look: () => house.app.notices.alerts.look(),
    /** Looks, waits until what was found is told, and sends it. */
    async tell(): Promise<void> {
      await house.app.notices.alerts.look();
      clock.advance(GATHER_MS);
      await house.app.notices.alerts.look();
      await send();
    },
    /** Another process on the same database. SQLite has only one. */
    startAnother(): App {
      if (engine === 'sqlite') return house.app;
      const other = buildApp(house.config, { clock, log: createTestLog().log, threads: false });
      others.push(other);
      return other;
    },
    /** A team whose messages can be told from those of others. */
    async newTeam() {
      const name = `alerts-${++made}`;
      const { team, admin, member } = await house.createTeam(name);
      await proveAddress(database, admin.user.id);
      const ask = async (
        method: 'GET' | 'POST' | 'PUT' | 'PATCH',
        url: string,
        payload?: object,
        headers = admin.headers,
      ) => {
        const answer = await house.server.inject({ method, url, headers, ...(payload && { payload }) });
        return { status: answer.statusCode, body: answer.json() };
      };
      const happen = (type: EventType, subject: string, data: object = {}) =>
        record({ teamId: team.id, type, subject, data: { id: subject, ...data } });
      const mailsTo = (address: string) => mail.received.filter(({ to }) => to.includes(address));
      return {
        ...{ name, team, admin, member, ask, happen },
        mails: () => mailsTo(`admin@${name}.example`).map(({ raw }) => decode(raw)),
        memberMails: () => mailsTo(`member@${name}.example`).length,
        posts: () => slack.received.filter(({ path }) => path === `/services/${name}`).map(({ message }) => message),
        async useSlack(): Promise<void> {
          const url = `${slack.url}/services/${name}`;
          assert.equal((await ask('PUT', '/api/reports/slack', { url })).status, 200);
        },
        open: async () =>
          (await ask('GET', '/api/events/alerts')).body.open as { id: string; kind: string; title: string }[],
        async change(changes: object): Promise<void> {
          const { settings } = (await ask('GET', '/api/events/alerts')).body;
          const { status } = await ask('PUT', '/api/events/alerts', { settings: { ...settings, ...changes } });
          assert.equal(status, 200);
        },
        breakConnection: (subject: string, name = 'Acme') =>
          happen('connection.needs_reconnect', subject, {
            ...{ provider: 'acme', name, account: { id: 'a', label: `${subject}@acme.example` } },
            lastError: LAST_ERROR,
          }),
      };
    },
    async close(): Promise<void> {
      for (const other of others) await other.close();
      await house.close();
      slack.stop();
      await mail.stop();
    },
  };
};
