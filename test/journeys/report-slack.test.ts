import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, before, beforeEach, test } from 'node:test';
import { Discard } from '../../src/jobs/index.ts';
import { sendReport } from '../../src/reports/sending/send-report.ts';
import { lastFinishedWeek } from '../../src/reports/week/week.ts';
import { COMMAND_LINE } from '../../src/teams/index.ts';
import { SECRETS } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { holdAnswer } from '../harness/hold-database.ts';
import { expectProblem, toAnswer } from '../harness/problem.ts';
import { openTelephonyStage, type TelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const SECRET_PATH = '/services/T0CANARY/B0CANARY/canary-of-slack';
const DAY_MS = 24 * 3_600_000;
const NO_SERVICE = /no longer recognizes this webhook URL.* Create a new incoming webhook/;

type Team = Awaited<ReturnType<TelephonyStage['newTeam']>>;
type Message = { text: string; blocks: { type: string }[] };

onOneEngine('a report in Slack', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));
  let slack: Server;
  let address: string;
  let answer: RequestListener;
  const received: { path: string | undefined; message: Message }[] = [];

  before(async () => {
    slack = createServer(async (request, response) => {
      received.push({ path: request.url, message: (await json(request)) as Message });
      answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(slack, 'listening');
    address = `http://127.0.0.1:${(slack.address() as AddressInfo).port}${SECRET_PATH}`;
  });
  after(() => {
    slack?.closeAllConnections();
    slack?.close();
  });
  beforeEach(() => {
    received.length = 0;
    answer = (_request, response) => response.end('ok');
  });
  const answerWith = (status: number, body: string, headers: Record<string, string> = {}): void => {
    answer = (_request, response) => response.writeHead(status, headers).end(body);
  };

  const ask = async ({ admin }: Team, method: 'GET' | 'PUT' | 'DELETE' | 'POST', path = '', payload?: object) =>
    toAnswer(
      await stage.server.inject({
        method,
        url: `/api/reports/slack${path}`,
        headers: admin.headers,
        ...(payload ? { payload } : {}),
      }),
    );
  const put = (team: Team, url = address) => ask(team, 'PUT', '', { url });
  const run = async ({ team }: Team) =>
    (
      await stage.server.inject({
        url: `/api/cron/weekly-report?team=${team.id}`,
        headers: { authorization: `Bearer ${SECRETS.CRON_SECRET}` },
      })
    ).json().reports[0];
  const deliveriesOf = async ({ get }: Team, week: string) => (await get(`/api/reports/${week}`)).json().deliveries;
  /** One attempt, as the job makes it. */
  const send = async ({ team: { id: teamId } }: Team, context: Partial<TelephonyStage['app']> = {}) => {
    const row = await stage.app.database.get<{ id: string; attempts: number }>(
      `select id, attempts from report_deliveries where team_id = $1 and channel = 'slack'`,
      [teamId],
    );
    assert.ok(row);
    const attempt = { teamId, dispatchId: row.id, attempt: row.attempts + 1 };
    await sendReport({ ...stage.app, mailer: null, production: false, ...context }, attempt);
  };
  const newReport = async () => {
    const team = await stage.newTeam({ ageDays: 7 });
    assert.equal((await put(team)).status, 200);
    const { week } = await run(team);
    const attempt = async () => {
      await send(team);
      const [delivery] = await deliveriesOf(team, week);
      return delivery;
    };
    return { team, week, attempt };
  };

  if (engine === 'sqlite')
    test('is no longer posted once its team is being erased', async () => {
      const { team } = await newReport();
      await stage.app.erasure.beginAny(COMMAND_LINE, team.team.id);
      await assert.rejects(send(team), Discard);
      assert.deepEqual(received, []);
    });

  test('is set up by an admin, who never sees the address again, and tested with a message', async () => {
    const team = await stage.newTeam();
    const nothing = { configured: false, host: null, setBy: null, setAt: null };
    assert.deepEqual(JSON.parse((await ask(team, 'GET')).body), nothing);
    expectProblem(await ask(team, 'POST', '/test'), 409, 'no address yet');
    const set = await put(team);
    const { id, email } = team.admin.user;
    const setAt = new Date(stage.clock.now()).toISOString();
    const shown = { configured: true, host: new URL(address).host, setBy: { id, label: email }, setAt };
    assert.deepEqual(JSON.parse(set.body), shown);
    assert.deepEqual(JSON.parse((await ask(team, 'GET')).body), shown);
    assert.deepEqual(JSON.parse((await ask(team, 'POST', '/test')).body), { delivered: true });
    assert.equal(received[0]?.path, SECRET_PATH);
    assert.match(received[0]?.message.text ?? '', /^The weekly report for team-\w+ will be posted here\.$/);
    answerWith(404, 'no_service');
    const refused = expectProblem(await ask(team, 'POST', '/test'), 502, 'an address that is gone');
    assert.equal(refused.code, 'reports.slack_refused');
    assert.match(refused.detail, NO_SERVICE);
    for (let times = 0; times < 2; times++) assert.equal((await ask(team, 'DELETE')).status, 204);
    assert.deepEqual(JSON.parse((await ask(team, 'GET')).body), nothing);
    const { events } = (await team.get('/api/audit', team.admin.headers)).json();
    const actions: string[] = events.map(({ action }: { action: string }) => action);
    const counted = ['put', 'test', 'delete'].map(
      (what) => actions.filter((one) => one === `report.slack.${what}`).length,
    );
    assert.deepEqual(counted, [1, 2, 1]);
  });

  test('needs a plausible address', async () => {
    const team = await stage.newTeam();
    for (const url of ['', 'hooks.slack.com/services/x', 'ftp://hooks.slack.com/x', 'https://a:b@hooks.slack.com/x'])
      expectProblem(await put(team, url), 400, url);
  });

  test('arrives once, with its figures, next to emails that have no recipients', async () => {
    const { team, week, attempt } = await newReport();
    assert.equal((await run(team)).deliveries, 1);
    const sent = await attempt();
    const sentAt = new Date(stage.clock.now()).toISOString();
    assert.deepEqual(sent, { channel: 'slack', state: 'sent', problem: null, sentAt, nextTryAt: null });
    await send(team);
    assert.equal(received.length, 1);
    assert.match(received[0]?.message.text ?? '', /^Week \d+, .* · team-\w+ · 0 inbound calls/);
    assert.ok(JSON.stringify(received[0]?.message.blocks).includes(`/reports/${week}|Open the report`));
  });

  test('waits as long as Slack asks, and while Slack has trouble', async () => {
    const { attempt } = await newReport();
    answerWith(429, 'rate_limited', { 'retry-after': '120' });
    const { state, problem, nextTryAt } = await attempt();
    assert.deepEqual([state, problem], ['queued', 'Slack is rate limiting messages.']);
    assert.equal(Date.parse(nextTryAt), stage.clock.now() + 120_000);
    answerWith(503, '<html>canary-of-slack</html>');
    const troubled = await attempt();
    assert.deepEqual([troubled.state, troubled.problem], ['queued', 'Slack is having problems (503).']);
    assert.equal(Date.parse(troubled.nextTryAt), stage.clock.now() + 60_000);
    answerWith(200, 'ok');
    assert.equal((await attempt()).state, 'sent');
  });

  test('waits for its next attempt, even if a process was slow with the one before', async () => {
    const { team, attempt } = await newReport();
    const held = holdAnswer(stage.app.database, 'get', 'from report_slack_addresses');
    const slow = send(team);
    await held.answered;
    answerWith(503, '');
    assert.equal((await attempt()).state, 'queued');
    answerWith(200, 'ok');
    held.release();
    await slow;
    assert.equal(received.length, 1, 'The attempt before is over.');
    assert.deepEqual([(await attempt()).state, received.length], ['sent', 2]);
  });

  test('is not sent twice if the connection to Slack was lost, and the ledger says so', async () => {
    const { attempt } = await newReport();
    answer = (request) => request.socket.destroy();
    assert.equal((await attempt()).state, 'unclear');
    answerWith(200, 'ok');
    const { state, problem } = await attempt();
    assert.deepEqual([state, problem], ['unclear', 'The connection to Slack was lost while sending (network).']);
    assert.equal(received.length, 1);
  });

  test('refused by Slack says what to do, and goes to the next address that is set', async () => {
    const { team, attempt } = await newReport();
    answerWith(404, 'no_service');
    const { state, problem, nextTryAt } = await attempt();
    assert.deepEqual([state, nextTryAt], ['failed', null]);
    assert.match(problem, NO_SERVICE);
    assert.equal((await attempt()).state, 'failed');
    assert.equal(received.length, 1, 'It is not tried again by itself.');
    answerWith(200, 'ok');
    const before = await stage.app.jobs.count();
    await put(team, address.replace('canary-of-slack', 'the-next-one'));
    assert.equal((await stage.app.jobs.count()).queued, before.queued + 1);
    assert.equal((await attempt()).state, 'sent');
    assert.match(received[1]?.path ?? '', /the-next-one$/);
  });

  test('that was refused, or had nobody to go to, more than a week ago is sent to no address that is set later', async () => {
    const { team: refused, attempt } = await newReport();
    answerWith(404, 'no_service');
    assert.equal((await attempt()).state, 'failed');
    const unsent = await stage.newTeam({ ageDays: 7 });
    const { week } = await run(unsent);
    const age = 'update report_deliveries set created_at = created_at - $2 where team_id = $1';
    for (const { team } of [refused, unsent]) await stage.app.database.run(age, [team.id, 8 * DAY_MS]);
    const before = await stage.app.jobs.count();
    for (const team of [refused, unsent]) {
      assert.equal((await put(team)).status, 200);
      await run(team);
    }
    for (const [team, state] of [
      [refused, 'failed'],
      [unsent, 'skipped'],
    ] as const)
      assert.deepEqual(
        (await deliveriesOf(team, week)).map((delivery: { state: string }) => delivery.state),
        [state],
      );
    assert.equal((await stage.app.jobs.count()).queued, before.queued);
  });

  test('is not sent if its address was removed, and says so', async () => {
    const { team, attempt } = await newReport();
    await ask(team, 'DELETE');
    const { state, problem } = await attempt();
    assert.deepEqual([state, problem], ['failed', 'Slack is no longer set up for this team.']);
    assert.equal(received.length, 0);
  });

  test('follows no redirect', async () => {
    const { attempt } = await newReport();
    answerWith(302, '', { location: `${new URL(address).origin}/elsewhere` });
    assert.equal((await attempt()).state, 'failed');
    assert.deepEqual(
      received.map(({ path }) => path),
      [SECRET_PATH],
    );
  });

  test('with neither an address nor a mail server says so', async () => {
    const team = await stage.newTeam({ ageDays: 7 });
    const { week, deliveries } = await run(team);
    assert.equal(deliveries, 0);
    const problem = 'No mail server is configured (SMTP_URL, MAIL_FROM), and Slack is not set up for this team.';
    const nobody = { channel: 'mail', state: 'skipped', problem, sentAt: null, nextTryAt: null };
    assert.deepEqual(await deliveriesOf(team, week), [nobody]);
  });

  test('has no message about a week from before the team was created, even if Slack is set up afterward', async () => {
    const team = await stage.newTeam();
    const week = lastFinishedWeek(stage.clock.now(), 'UTC');
    await stage.server.inject({
      url: `/api/cron/weekly-report?team=${team.team.id}&week=${week}`,
      headers: { authorization: `Bearer ${SECRETS.CRON_SECRET}` },
    });
    await put(team);
    const states = (await deliveriesOf(team, week)).map(({ state }: { state: string }) => state);
    assert.deepEqual(states, ['skipped']);
  });

  test('leaves its address in no row, job or log line', async () => {
    const tables = ['report_slack_addresses', 'report_deliveries', 'audit_events', 'jobs'];
    const rows = await Promise.all(tables.map((table) => stage.app.database.all(`select * from ${table}`)));
    assert.ok(rows.every(({ length }) => length > 0));
    assert.doesNotMatch(JSON.stringify([rows, stage.lines]), /canary-of-slack|B0CANARY/i);
  });
});
