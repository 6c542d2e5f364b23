import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GATHER_MS, proveAddress, sendAlerts } from '../harness/alert-stage.ts';
import { expectConnected, startConnectStage } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { startMailServer } from '../harness/mail-server.ts';
import { useStage } from '../harness/use-stage.ts';
import { signAsSlack, slackEvent } from '../harness/withdrawal-senders.ts';

const SIGNING_SECRET = 'slack-signing-secret';

onOneEngine('a customer removes the app at the provider', (engine) => {
  const mail = useStage(startMailServer);
  const receiver = useStage(startEventReceiver);
  const stage = useStage(() =>
    startConnectStage(engine, {
      providers: { slack: {} },
      env: {
        OAUTH_SLACK_WEBHOOK_SECRET: SIGNING_SECRET,
        SMTP_URL: mail.url,
        MAIL_FROM: 'Patchbay <patchbay@hooks.example>',
      },
    }),
  );

  test('and the product and the admins know at once, and again once it is repaired', async () => {
    const { clock, stage: house } = stage;
    // Whoever verifies a signature compares its time with their own clock.
    clock.advance(Date.now() - clock.now());
    const { admin, member } = await house.createTeam('journey');
    await proveAddress(house.app.database, admin.user.id);
    const created = await house.server.inject({
      ...{ method: 'POST', url: '/api/events/endpoints', headers: admin.headers },
      payload: { url: receiver.url, types: ['connection.*'] },
    });
    const { secret } = created.json();

    const connect = async (): Promise<void> => {
      const begun = await stage.begin(member, 'slack');
      const path = stage.consent(begun.authorizationUrl, { account: 'T1' });
      expectConnected(await stage.arrive(path, { cookie: begun.cookie }), 'slack');
      clock.advance(2_000);
    };
    const tell = async (): Promise<void> => {
      await house.app.events.sending.sendAll();
      await house.app.notices.alerts.look();
      clock.advance(GATHER_MS);
      await house.app.notices.alerts.look();
      await sendAlerts(house.app);
    };
    const verified = () => receiver.received.map((one) => receiver.verify(secret, one) as typeof one.event);
    const mails = () => mail.received.filter(({ to }) => to.includes('admin@journey.example')).map(({ raw }) => raw);

    await connect();
    const seconds = Math.floor(clock.now() / 1_000);
    const { path, headers, body } = signAsSlack(
      slackEvent({ type: 'app_uninstalled' }, { team: 'T1', seconds }),
      SIGNING_SECRET,
      seconds,
    );
    const taken = await house.server.inject({ method: 'POST', url: path, headers, payload: body });
    assert.equal(taken.statusCode, 200);
    assert.equal(await stage.statusOf(member, 'slack'), 'needs_reconnect');
    await tell();
    assert.deepEqual(
      verified().map(({ type, data }) => [type, data['status'], data['reason']]),
      [
        ['connection.connected', 'connected', null],
        ['connection.needs_reconnect', 'needs_reconnect', 'withdrawn'],
      ],
    );
    assert.equal(mails().length, 1);
    assert.match(mails()[0] ?? '', /^Slack \(T1@example\.com\) needs to be reconnected\r?$/m);

    await connect();
    assert.equal(await stage.statusOf(member, 'slack'), 'connected');
    clock.advance(60_000);
    await tell();
    assert.deepEqual(
      verified().map(({ type }) => type),
      ['connection.connected', 'connection.needs_reconnect', 'connection.reconnected'],
    );
    assert.equal(mails().length, 2);
    assert.match(mails()[1] ?? '', /^Slack \(T1@example\.com\) was reconnected\r?$/m);
  });
});
