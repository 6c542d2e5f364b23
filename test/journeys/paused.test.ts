import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECRETS } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openPausedStage } from '../harness/paused-stage.ts';
import { runCommand, settingsOf } from '../harness/run-command.ts';
import { openSession } from '../harness/sessions.ts';
import { JSON_ONLY } from '../harness/team-member.ts';
import { newCallSid, newRecordingSid } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const DAY_MS = 86_400_000;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const FORM_TYPE = { ...FORM, origin: 'http://localhost:3000', accept: 'text/html' };

onOneEngine('a paused service', (engine) => {
  const stage = useStage(() => openPausedStage(engine));

  const command = async (...args: string[]) => {
    const ran = await runCommand([...args, '--json'], settingsOf(stage));
    assert.equal(ran.code, 0, ran.stderr);
    return JSON.parse(ran.stdout);
  };
  const isPaused = async (): Promise<boolean> => (await stage.server.inject('/readyz')).json().paused;
  const readMetrics = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${SECRETS.METRICS_TOKEN}` };
    return (await stage.server.inject({ url: '/metrics', headers })).body;
  };
  const metric = async (): Promise<string | undefined> => /^patchbay_paused (\d)$/m.exec(await readMetrics())?.[1];
  const hasFinished = async (job: string): Promise<boolean> =>
    new RegExp(`^patchbay_job_seconds_count{name="${job}",outcome="completed"} [1-9]`, 'm').test(await readMetrics());

  test('contacts nobody, answers calls, refuses what it would have to ask for, and catches up when it is resumed', async (context) => {
    const { app, server, clock, ask, api } = stage;
    const { team, admin, headers, at, endpoint, line } = await stage.newTeam();
    const session = await openSession(stage, admin.user);
    const begun = await at.goToProvider('acme-full', 'bob', { connection: 'second' });
    const cron = { authorization: `Bearer ${SECRETS.CRON_SECRET}` };
    assert.equal(await metric(), '0');

    assert.equal((await command('pause', '--reason', 'Restored from a backup.')).changed, true);
    await waitUntil('the service notices', isPaused, 5_000);
    assert.equal((await command('pause')).reason, 'Restored from a backup.', 'The first reason stays.');
    assert.equal(await metric(), '1');
    const doctor = await command('doctor').catch((error) => assert.fail(error));
    const finding = doctor.findings.find(({ check }: { check: string }) => check === 'pause');
    assert.match(finding.message, /Restored from a backup\. .*patchbay -- resume/);

    const cameBack = await ask('GET', begun.path, { ...JSON_ONLY, cookie: begun.cookie });
    // Everything is due: a refresh, a verification, a report, pruning.
    const before = stage.countContacts();
    clock.advance(2 * DAY_MS);
    app.jobs.start();
    app.events.sending.start();
    app.notices.alerts.start();
    const data = { provider: 'acme', name: 'Acme', account: { id: 'a', label: 'a' }, lastError: 'Revoked.' };
    await app.database.transaction((tx) =>
      app.events.record(tx, { teamId: team.id, type: 'connection.needs_reconnect', subject: 'c1', data }),
    );
    assert.equal((await ask('POST', '/api/members', headers, { email: 'new@paused.example' })).status, 201);

    const callSid = newCallSid();
    const answered = await line.rings(callSid);
    assert.equal(answered.statusCode, 200);
    assert.match(answered.body, /<Response>/);
    assert.equal((await line.leavesMessage(callSid)).statusCode, 200);
    assert.ok((await line.recorded(callSid, newRecordingSid())).statusCode < 300);

    const refusals = [
      ask('POST', '/api/integrations/acme-full/token', headers),
      ask('GET', '/api/integrations/acme-full/proxy/user', headers),
      ask('POST', '/api/integrations/acme-full/connect', headers, {}),
      ask('GET', '/api/integrations/acme-full/connect', headers),
      cameBack,
      ask('POST', '/api/integrations/acme-full/disconnect', headers),
      ask('PUT', '/api/integrations/keyed/key', headers, { fields: { api_key: 'another' } }),
      ask('POST', `/api/events/endpoints/${endpoint.id}/test`, headers),
      ask('POST', '/api/reports/slack/test', headers),
      ask('GET', '/api/cron/weekly-report', cron),
    ];
    for (const refusal of await Promise.all(refusals)) {
      assert.equal(refusal.status, 503, refusal.body);
      assert.equal(JSON.parse(refusal.body).code, 'service.paused');
      assert.ok(refusal.headers['retry-after']);
    }
    const mailed = await server.inject({
      method: 'POST',
      url: '/sign-in',
      headers: FORM_TYPE,
      payload: 'email=a%40b.c',
    });
    assert.equal(mailed.statusCode, 503);
    assert.match(mailed.body, /service is paused/);

    const page = await server.inject({ url: '/settings/tokens', headers: session.headers });
    assert.match(page.body, /This service has been paused.*Restored from a backup\..*patchbay -- resume/);
    await app.telephony.settle();
    const { calls } = JSON.parse((await ask('GET', '/api/calls', headers)).body);
    assert.deepEqual(
      calls.map(({ externalId }: { externalId: string }) => externalId),
      [callSid],
    );
    assert.equal((await at.status('acme-full')).status, 'connected');
    const dry = await ask('GET', '/api/cron/weekly-report?dryRun=1', cron);
    assert.equal(dry.status, 200, dry.body);

    // Everything that works by itself has had its turn: jobs, alerts, and, several times, the sending of events.
    await waitUntil('a job that runs while paused', () => hasFinished('process-deliveries'));
    await app.notices.alerts.look();
    const looks = context.mock.method(app.pause, 'read').mock;
    await waitUntil('others ask whether it is paused', () => looks.callCount() >= 5);
    assert.deepEqual(stage.countContacts(), before);
    assert.equal(await app.reports.getNewestWeek(team.id), null);

    assert.equal((await command('resume')).changed, true);
    assert.equal((await command('resume')).changed, false);
    const letters = () =>
      stage.mail.received.map(({ to, raw }) => `${to} ${/^Subject: (.*)/m.exec(raw)?.[1]}`).join('\n');
    const typesSent = () => new Set(stage.receiver.received.map(({ event }) => event.type));
    await waitUntil('everything that waited has happened', async () => {
      // Alerts are gathered for some seconds.
      clock.advance(1_000);
      return (
        stage.oauth.count('refresh') > 0 &&
        api.received.filter(({ url }) => url.includes('/me?full=1')).length > 1 &&
        stage.hosts.includes('api.twilio.com') &&
        ['connection.needs_reconnect', 'call.started', 'report.ready'].every((type) => typesSent().has(type)) &&
        stage.slack.received.length >= 2 &&
        [/new@paused\.example/, /Acme/, /Week|week/].every((letter) => letter.test(letters()))
      );
    });
    assert.equal(await metric(), '0');
    assert.equal(
      (await ask('GET', begun.path, { ...JSON_ONLY, cookie: begun.cookie })).status,
      400,
      'Its state has expired meanwhile.',
    );
    assert.equal((await ask('GET', '/api/integrations/acme-full/proxy/user', headers)).status, 200);
    assert.equal(await at.disconnect('acme-full', 'default'), 'revoked');
  });
});
