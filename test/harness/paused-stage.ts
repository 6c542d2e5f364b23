import { createOutbound, type Engine, type Outbound, OutboundFailed } from '../../src/platform/index.ts';
import { proveAddress, startSlack } from './alert-stage.ts';
import { createTestApp, createTestClock } from './app.ts';
import { startEventReceiver } from './event-receiver.ts';
import { keyRecords } from './keys-stage.ts';
import { startMailServer } from './mail-server.ts';
import { startOauthServer } from './oauth-server.ts';
import { allRecords, providerSettings, writeProviderFile } from './provider-file.ts';
import { startApi } from './proxy-stage.ts';
import { askInjected, createTeamMember } from './team-member.ts';
import { AUTH_TOKEN, createPhoneLine, newAccountSid, OUR_NUMBER } from './telephony-stage.ts';

const WEEKS_MS = 14 * 86_400_000;

/** Notes the host of every request, and lets only those to this machine leave. */
const createWatchedOutbound = () => {
  const hosts: string[] = [];
  const outbound = createOutbound({ allowPrivate: true });
  const watch = (url: string): void => {
    const { hostname } = new URL(url);
    hosts.push(hostname);
    if (hostname !== '127.0.0.1') throw new OutboundFailed('network', hostname, 'ENOTFOUND');
  };
  const watched: Outbound = {
    async request(request) {
      watch(request.url);
      return outbound.request(request);
    },
    async open(request) {
      watch(request.url);
      return outbound.open(request);
    },
  };
  return { outbound: watched, hosts };
};

/** The service, and everybody whom it contacts by itself: a provider, receivers of events, Slack, a mail server. */
export const openPausedStage = async (engine: Engine) => {
  const oauth = await startOauthServer();
  const api = await startApi();
  const receiver = await startEventReceiver();
  const slack = await startSlack();
  const mail = await startMailServer();
  const oauthRecords = allRecords(oauth.issuer).map((record) =>
    record.id === 'acme-full' ? { ...record, api: { url: `${api.url}/v1` } } : record,
  );
  const file = writeProviderFile([...oauthRecords, ...keyRecords(api.url)]);
  const clock = createTestClock();
  const { outbound, hosts } = createWatchedOutbound();
  const env = {
    ...providerSettings(file.path),
    SMTP_URL: mail.url,
    MAIL_FROM: 'Patchbay <patchbay@hooks.example>',
  };
  const house = await createTestApp(engine, { clock, outbound, env });
  const { app, server } = house;
  const ask = askInjected(server);

  return {
    ...house,
    ...{ oauth, api, receiver, slack, mail, clock, hosts, ask },
    /** How often anybody was contacted. */
    countContacts: () => ({
      requests: hosts.length,
      proxied: api.received.length,
      events: receiver.received.length,
      posts: slack.received.length,
      mails: mail.received.length,
    }),
    /** A team that has something for every kind of contact, and is old enough for a report. */
    async newTeam() {
      const { team, admin } = await house.createTeam('paused');
      const { headers } = admin;
      await proveAddress(app.database, admin.user.id);
      await app.database.run('update teams set created_at = created_at - $2 where id = $1', [team.id, WEEKS_MS]);
      const send = async (method: 'POST' | 'PUT', path: string, body: object) => {
        const reply = await ask(method, path, headers, body);
        if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${reply.body}`);
        return JSON.parse(reply.body);
      };
      const accountId = newAccountSid();
      const account = await send('POST', '/api/telephony/accounts', {
        ...{ provider: 'twilio', accountId, secrets: [AUTH_TOKEN] },
      });
      await send('POST', '/api/telephony/numbers', { number: OUR_NUMBER, account: account.id, answer: {} });
      await send('PUT', '/api/reports/slack', { url: `${slack.url}/services/paused` });
      const endpoint = await send('POST', '/api/events/endpoints', { url: receiver.url, types: ['*'] });
      await send('PUT', '/api/integrations/keyed/key', { fields: { api_key: 'a key that works' } });
      const at = createTeamMember(ask, headers, oauth);
      await at.connect('acme-full', 'alice');
      return { team, admin, headers, at, endpoint, line: createPhoneLine(server, { id: account.id, accountId }) };
    },
    async close(): Promise<void> {
      await house.close();
      await mail.stop();
      slack.stop();
      await receiver.close();
      await api.stop();
      file.remove();
      await oauth.stop();
    },
  };
};
