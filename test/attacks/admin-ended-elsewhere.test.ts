// Attack: an admin was removed or demoted in another process. This one knows them for up to a second more, in which they
// try to leave something behind. Each change of an admin has to look again in its transaction (`lockAdmin`).
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { fillPath, type Operation, readOperations } from '../harness/operations.ts';
import { AUTH_TOKEN, newAccountSid } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const NOBODYS = '01900000-0000-7000-8000-000000000000';
const channels = { mail: false, slack: false, pages: false };
const newAccount = () => ({ provider: 'twilio', accountId: newAccountSid(), secrets: [AUTH_TOKEN] });

/** What an operation needs to be sent, so that nothing else is wrong with it. */
const BODIES: Record<string, object> = {
  'PATCH /api/team': { name: 'Taken over' },
  'POST /api/members': { email: 'accomplice@example.com', role: 'admin' },
  'PATCH /api/members/{id}': { role: 'admin' },
  'PUT /api/events/alerts': {
    settings: { reconnect: channels, voicemail: channels, missed: channels, endpoint: channels },
  },
  'POST /api/events/endpoints': { url: 'http://127.0.0.1:9/' },
  'PATCH /api/events/endpoints/{id}': { url: 'http://127.0.0.1:9/' },
  'POST /api/events/endpoints/{id}/replay': { since: '2026-11-01T00:00:00Z' },
  'PUT /api/integrations/{provider}/credentials': { clientId: 'theirs', clientSecret: 'secret-of-theirs' },
  'PUT /api/integrations/{provider}/webhook': { secret: 'known-to-them' },
  'PATCH /api/integrations/{provider}/people': { lookup: false },
  'POST /api/containments': { reason: 'spite' },
  'POST /api/telephony/accounts': newAccount(),
  'PATCH /api/telephony/accounts/{id}': { mode: 'observe' },
  'POST /api/telephony/numbers': { number: '+15550100011', account: NOBODYS },
  'PATCH /api/telephony/numbers/{id}': { label: 'theirs' },
  'POST /api/telephony/erase': { number: '+15550100199' },
  'PUT /api/reports/slack': { url: 'https://hooks.slack.com/services/T0/B0/theirs' },
};

/** What sends or shows something once. */
const ONCE = [
  ...['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} /api/integrations/{provider}/proxy/{path}`),
  'POST /api/integrations/{provider}/token',
  'POST /api/approvals/{id}/approve',
  'POST /api/approvals/{id}/refuse',
  'POST /api/events/endpoints/{id}/test',
  'POST /api/events/{id}/resend',
  'POST /api/telephony/accounts/{id}/release',
  'POST /api/reports/slack/test',
];

onOneEngine('an admin who was one until a moment ago', (engine) => {
  const stage = useStage(() => createTestApp(engine, { clock: createTestClock() }));
  let changes: Operation[];

  before(async () => {
    changes = (await readOperations(stage.server)).operations.filter(
      ({ name, wants, method }) => wants === 'accessToken' && !['GET', 'HEAD'].includes(method) && !ONCE.includes(name),
    );
  });

  for (const [how, change] of [
    ['removed', 'removed_at = 1'],
    ['demoted', "role = 'member'"],
  ] as const)
    test(`changes nothing that lasts: ${how} in another process`, async () => {
      const { app, server } = stage;
      const { admin, member } = await stage.createTeam(how);
      const post = async (url: string, payload: object): Promise<string> =>
        (await server.inject({ method: 'POST', url, headers: admin.headers, payload })).json().id;
      const account = await post('/api/telephony/accounts', newAccount());
      const number = await post('/api/telephony/numbers', {
        number: how === 'removed' ? '+15550100012' : '+15550100013',
        account,
      });
      const send = async ({ method, path, name }: Operation, headers: Record<string, string>, payload?: object) => {
        const id = name.includes('/accounts/') ? account : name.includes('/numbers/') ? number : NOBODYS;
        const url = fillPath(path, { provider: 'github', id });
        return server.inject({ method, url, headers, ...(payload && { payload }) });
      };
      const isKnown = async () =>
        (await server.inject({ url: '/api/events/endpoints', headers: admin.headers })).statusCode === 200;

      assert.equal(await isKnown(), true);
      await app.database.run(`update users set ${change} where id = $1`, [admin.user.id]);
      let tried = 0;
      for (const operation of changes) {
        const isForAdmins = (await send(operation, member.headers)).statusCode === 403;
        if (!isForAdmins) continue;
        const { statusCode, body } = await send(operation, admin.headers, BODIES[operation.name]);
        assert.ok([401, 403].includes(statusCode), `${operation.name}: ${statusCode} ${body}`);
        tried++;
      }
      assert.ok(tried >= 20, `${tried} were tried.`);
      assert.equal(await isKnown(), true, 'They were refused by the changes themselves.');
    });
});
