import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import { lastFinishedWeek, shiftWeek } from '../../src/reports/week/week.ts';
import { SECRETS } from '../harness/app.ts';
import { createDatabaseAt, databaseUrl, TEMPLATE } from '../harness/databases.ts';
import { type MailServer, startMailServer } from '../harness/mail-server.ts';
import type { Serving } from '../harness/serve-process.ts';
import { openServeStage } from '../harness/serve-stage.ts';
import { ADMIN } from '../harness/telephony-serve.ts';
import { SERVICE_URL } from '../harness/telephony-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const RECIPIENT = 'lead@team.example';
const CALLS = 50;
/** The service may be writing at that moment. */
const BUSY_MS = 10_000;

/** Thirty weeks. */
const TEAM_AGE = 'update teams set created_at = created_at - 18144000000';

/** Weeks that the service doesn't report on its own, because they were too long ago. */
const weekBefore = (weeks: number): string => shiftWeek(lastFinishedWeek(Date.now(), 'UTC'), -10 - weeks);

const openStage = async (context: TestContext) => {
  const mail = await startMailServer();
  context.after(() => mail.stop());
  const stage = openServeStage(context);
  const settings = {
    ...SECRETS,
    PATCHBAY_URL: SERVICE_URL,
    SMTP_URL: mail.url,
    MAIL_FROM: 'pb@team.example',
  };
  const serve = async (env: Record<string, string>): Promise<Serving> => {
    const serving = await stage.serve({ ...settings, ...env });
    await serving.ready();
    return serving;
  };
  return { mail, serve, newDirectory: stage.newDirectory };
};

/** Asks again after a 503, which a request gets that takes 15 seconds on a busy machine. It may have done its work. */
const run = async (
  serving: Serving,
  week?: string,
  onTimeout = () => {},
): Promise<{ state: string; deliveries: number }> => {
  const headers = { authorization: `Bearer ${SECRETS.CRON_SECRET}` };
  const answer = await serving.fetch(`/api/cron/weekly-report${week ? `?week=${week}` : ''}`, { headers });
  if (answer.status === 503) {
    onTimeout();
    return run(serving, week, onTimeout);
  }
  const { reports } = (await answer.json()) as { reports: [{ state: string; deliveries: number }] };
  return reports[0];
};

const statesOf = async (serving: Serving, week: string): Promise<string[]> => {
  const answer = await serving.fetch(`/api/reports/${week}`, { headers: ADMIN });
  const { deliveries } = (await answer.json()) as { deliveries: { state: string }[] };
  return deliveries.map(({ state }) => state).sort();
};

const reaches = (serving: Serving, week: string, states: readonly string[]): Promise<void> =>
  waitUntil(`the deliveries of ${week} are ${states}`, async () => `${await statesOf(serving, week)}` === `${states}`);

/** Longer than the first pause before an email is tried again, which a busy machine may cause. */
const IDLE_WITHIN_MS = 120_000;

/** Jobs with other names come and go all the time. */
const OPEN_JOBS = `select name, state, attempts, run_at as "runAt", last_error as "lastError" from jobs
  where name like '%report%' and state in ('queued', 'active')`;

/**
 * A report that takes longer than its caller waits, as on a busy machine, leaves a job for ten minutes later, in case
 * its process ends before the report is made.
 */
const MUCH_LATER_MS = 5 * 60_000;

type OpenJob = { runAt: number };

/** Lists the jobs about reports that are queued or active. */
type ListJobs = () => Promise<OpenJob[]>;

const idle = async (listJobs: ListJobs): Promise<void> => {
  let left: OpenJob[] = [];
  await waitUntil(
    'no job about reports is left that runs soon',
    async () => {
      left = (await listJobs()).filter(({ runAt }) => Number(runAt) < Date.now() + MUCH_LATER_MS);
      return left.length === 0;
    },
    IDLE_WITHIN_MS,
  ).catch((error) => assert.fail(`${error.message} Left: ${JSON.stringify(left)}`));
};

/** The last weeks are reported to the admin in any case, so only what comes after them is checked. */
const setRecipients = async (
  serving: Serving,
  listJobs: ListJobs,
  reportRecipients: readonly string[],
): Promise<void> => {
  await run(serving);
  await idle(listJobs);
  const headers = { ...ADMIN, 'content-type': 'application/json' };
  const body = JSON.stringify({ reportRecipients });
  assert.equal((await serving.fetch('/api/team', { method: 'PATCH', headers, body })).status, 200);
};

const countMailsTo = ({ received }: MailServer, recipient: string): number =>
  received.filter(({ to }) => to.includes(recipient)).length;

describe('a process killed while sending a report', { concurrency: 2 }, () => {
  test('has sent one email to each recipient, or says that nobody can tell (sqlite)', async (context) => {
    const { mail, serve, newDirectory } = await openStage(context);
    const PATCHBAY_DATA = newDirectory();
    const killed = await serve({ PATCHBAY_DATA });
    const database = new DatabaseSync(join(PATCHBAY_DATA, 'patchbay.db'), { timeout: BUSY_MS });
    context.after(() => database.close());
    database.exec(TEAM_AGE);
    const recipients = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@team.example`);
    const listJobs = async () => database.prepare(OPEN_JOBS).all() as OpenJob[];
    await setRecipients(killed, listJobs, recipients);
    const begun: string[] = [];
    for (const recipient of recipients) void mail.holdAt('recipient', recipient).then(() => begun.push(recipient));
    const week = weekBefore(1);
    const { state, deliveries } = await run(killed, week);
    assert.deepEqual([state, deliveries], ['created', recipients.length]);

    // Four are sent at a time. One is only in the ledger, and two are waiting at the mail server.
    await waitUntil('four are begun', () => begun.length === 4);
    const [, , handedOver = '', taken = ''] = begun;
    for (const recipient of [handedOver, taken]) {
      mail.letGo(recipient);
      await mail.holdAt('data', recipient);
    }
    // The fourth was accepted, but can't record that.
    database.exec('begin immediate');
    mail.letGo(taken);
    await waitUntil('it has heard the answer', () => mail.countConnections() === 3);
    killed.kill('SIGKILL');
    await killed.ended();
    database.exec('rollback');
    for (const recipient of recipients) mail.letGo(recipient);

    const next = await serve({ PATCHBAY_DATA });
    await reaches(next, week, ['sent', 'sent', 'sent', 'unclear', 'unclear']);
    await idle(listJobs);
    const mails = recipients.map((recipient) => countMailsTo(mail, recipient));
    assert.deepEqual(mails, [1, 1, 1, 1, 1], 'Everybody has it once, also where nobody can tell.');
  });

  test('leaves it to another, and fifty calls to two processes make one (postgresql)', async (context) => {
    const { mail, serve, newDirectory } = await openStage(context);
    const server = process.env['PATCHBAY_TEST_POSTGRESQL'] ?? '';
    const name = `report_kill_${randomBytes(6).toString('hex')}`;
    await createDatabaseAt(server, name, TEMPLATE);
    const DATABASE_URL = databaseUrl(server, name);
    const start = () => serve({ PATCHBAY_DATA: newDirectory(), DATABASE_URL });
    const [one, other] = await Promise.all([start(), start()]);
    const client = new pg.Client({ connectionString: DATABASE_URL });
    await client.connect();
    context.after(() => client.end());
    await client.query(TEAM_AGE);
    const listJobs = async () => (await client.query<OpenJob>(OPEN_JOBS)).rows;
    await setRecipients(one, listJobs, [RECIPIENT]);

    const week = weekBefore(1);
    let timeouts = 0;
    const asked = Array.from({ length: CALLS }, (_, index) =>
      run(index % 2 === 0 ? one : other, week, () => timeouts++),
    );
    const states = (await Promise.all(asked)).map(({ state }) => state).sort();
    // The call that created it may have timed out, and then it was told that the report exists.
    const [first, ...others] = states;
    assert.ok(first === 'created' || (first === 'existing' && timeouts > 0), `${first}, ${timeouts} timeouts`);
    assert.deepEqual(
      others,
      Array.from({ length: CALLS - 1 }, () => 'existing'),
    );
    await reaches(other, week, ['sent']);
    await idle(listJobs);
    assert.equal(countMailsTo(mail, RECIPIENT), 1);

    // It has written the report, and is waiting to write the recipients.
    await client.query('begin; lock table report_deliveries in share row exclusive mode');
    const lost = run(one, weekBefore(2)).catch(() => null);
    await waitUntil('it waits for the ledger', async () => {
      const { rows } = await client.query(
        `select pid from pg_locks where relation = 'report_deliveries'::regclass and not granted`,
      );
      return rows.length > 0;
    });
    one.kill('SIGKILL');
    assert.equal(await lost, null);
    await client.query('rollback');
    assert.equal((await run(other, weekBefore(2))).state, 'created');
    await reaches(other, weekBefore(2), ['sent']);
    assert.equal(countMailsTo(mail, RECIPIENT), 2);
  });
});
