import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GATHER_MS, openAlertStage } from '../harness/alert-stage.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

onOneEngine('mail about alerts', (engine) => {
  const stage = useStage(() => openAlertStage(engine));
  const mailsTo = (address: string): number => stage.mail.received.filter(({ to }) => to.includes(address)).length;

  test('goes to an invited admin only once they have signed in from their own mailbox', async () => {
    const { admin, breakConnection, mails } = await stage.newTeam();
    const stranger = 'stranger@victim.example';
    stage.clock.advance(MINUTE_MS);
    const invited = await stage.server.inject({
      ...{ method: 'POST', url: '/api/members', headers: admin.headers },
      payload: { email: stranger, name: null, role: 'admin' },
    });
    assert.equal(invited.statusCode, 201, invited.body);
    const alertMails = () =>
      stage.mail.received.filter(({ raw, to }) => to.includes(stranger) && /reconnected/.test(raw));
    await breakConnection('first');
    await stage.tell();
    assert.deepEqual([mails().length, alertMails().length], [1, 0]);

    // Whoever invites someone sees the link, and can sign in with it in their name.
    const { database } = stage.app;
    await database.run('update users set signed_in_at = created_at where email = $1', [stranger]);
    stage.clock.advance(MINUTE_MS);
    await breakConnection('second');
    await stage.tell();
    assert.deepEqual([mails().length, alertMails().length], [2, 0]);

    await database.run('update users set proved_at = created_at where email = $1', [stranger]);
    stage.clock.advance(MINUTE_MS);
    await breakConnection('third');
    await stage.tell();
    assert.deepEqual([mails().length, alertMails().length], [3, 1]);
  });

  test('leads nowhere through the label of an account, which stays on the page', async () => {
    const team = await stage.newTeam();
    await team.useSlack();
    const labels = [
      'Locked! Unlock at evil.test',
      'https://evil.test',
      'www.evil.test',
      'ask boss@evil.test now',
      'evil\u3002test',
    ];
    for (const [index, label] of labels.entries())
      await team.happen('connection.needs_reconnect', `c${index}`, { name: 'Acme', account: { id: 'a', label } });
    await stage.tell();
    assert.equal(team.mails().length, 1);
    assert.doesNotMatch(team.mails().join(), /evil/);
    assert.equal(team.posts().length, 1);
    assert.doesNotMatch(JSON.stringify(team.posts()), /evil/);
    assert.match(team.mails().join(), /Acme needs to be reconnected/);
    const titles = (await team.open()).map(({ title }) => title);
    for (const label of labels) assert.ok(titles.includes(`Acme (${label}) needs to be reconnected`), label);
  });

  test('leads nowhere through what a caller says instead of a phone number, which stays on the page', async () => {
    const team = await stage.newTeam();
    await team.useSlack();
    const on = { mail: true, slack: true };
    await team.change({ voicemail: on, missed: on });
    const callers = ['sip:evil.test/reset-your-password@evil.test', 'Your bank: https://evil.test', 'evil.test'];
    for (const [index, from] of callers.entries()) {
      await team.happen('call.voicemail', `v${index}`, { from });
      await team.happen('call.missed', `m${index}`, { from, startedAt: '2026-11-15T12:00:00Z' });
    }
    await team.happen('call.voicemail', 'known', { from: '+15551230001' });
    await stage.tell();
    const sent = [team.mails().join(), JSON.stringify(team.posts())];
    for (const message of sent) {
      assert.doesNotMatch(message, /evil/);
      assert.match(message, /Voicemail from a caller without a phone number/);
      assert.match(message, /Missed call from a caller without a phone number/);
      assert.match(message, /Voicemail from \+1 555 123 0001/);
    }
    const titles = (await team.open()).map(({ title }) => title);
    for (const from of callers) assert.ok(titles.includes(`Voicemail from ${from}`), from);
  });

  test('goes to whoever the operator has named first, before they sign in', async () => {
    const { events, database } = stage.app;
    const first = await database.get<{ id: string }>(`select id from teams where name = 'First team'`);
    const teamId = first?.id ?? assert.fail('There is no first team.');
    await database.transaction((tx) =>
      events.record(tx, { teamId, type: 'connection.needs_reconnect', subject: 'first', data: { name: 'Acme' } }),
    );
    await stage.tell();
    assert.equal(mailsTo(stage.config.adminEmail), 1);
  });

  test('comes less and less often about a connection that breaks and recovers all the time', async () => {
    const { breakConnection, happen, mails, open } = await stage.newTeam();
    const flapFor = async (ms: number): Promise<number> => {
      const before = mails().length;
      for (let passed = 0; passed < ms; passed += 12 * MINUTE_MS) {
        await breakConnection('flapping');
        await stage.tell();
        assert.equal((await open()).length, 1, 'It is on the pages at any time.');
        stage.clock.advance(2 * MINUTE_MS);
        await happen('connection.recovered', 'flapping');
        await stage.tell();
        stage.clock.advance(10 * MINUTE_MS - 2 * GATHER_MS);
      }
      return mails().length - before;
    };
    assert.equal(await flapFor(12 * MINUTE_MS), 2, 'The first time is told as ever.');
    const inHours = await flapFor(6 * HOUR_MS);
    assert.ok(inHours <= 6, `${inHours} mails`);

    // Once it stays broken, that is told after the longest pause, however often it was told before.
    const before = mails().length;
    await breakConnection('flapping');
    stage.clock.advance(4 * HOUR_MS);
    await stage.tell();
    stage.clock.advance(MINUTE_MS);
    await stage.tell();
    assert.equal(mails().length, before + 1);
    assert.match(mails().at(-1) ?? '', /needs to be reconnected/);

    // After a quiet day, it's told at once.
    await happen('connection.recovered', 'flapping');
    await stage.tell();
    stage.clock.advance(24 * HOUR_MS);
    await breakConnection('flapping');
    await stage.tell();
    assert.equal(mails().length, before + 3);
  });

  test('isn’t held back for ever by a clock that was ahead', async () => {
    const { breakConnection, happen, mails } = await stage.newTeam();
    const flap = async (): Promise<void> => {
      await breakConnection('ahead');
      await stage.tell();
      await happen('connection.recovered', 'ahead');
      stage.clock.advance(MINUTE_MS);
      await stage.tell();
    };
    stage.clock.advance(12 * HOUR_MS);
    await flap();
    await breakConnection('ahead');
    await stage.look();
    stage.clock.advance(-12 * HOUR_MS);
    await stage.tell();
    stage.clock.advance(MINUTE_MS);
    await stage.tell();
    assert.equal(mails().length, 3);
  });
});
