import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openAlertStage } from '../harness/alert-stage.ts';
import { openSession, type Session } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

describe('the pages of alerts', () => {
  const stage = useStage(() => openAlertStage('sqlite'));

  const open = async ({ headers }: Session, path: string): Promise<string> => {
    const { statusCode, body } = await stage.server.inject({ url: path, headers });
    assert.equal(statusCode, 200, body);
    assert.doesNotMatch(body, /style=|<script(?! type="module" src="\/assets\/[a-z-]+\.js"><\/script>)| on[a-z]+=/);
    return body;
  };

  const post = ({ headers, csrfToken }: Session, form: Record<string, string>, url = '/settings/alerts') =>
    stage.server.inject({
      method: 'POST',
      url,
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ _csrf: csrfToken, ...form }).toString(),
    });

  test('show a bell on every page, and what to do about what is open', async () => {
    const { member, breakConnection, happen } = await stage.newTeam();
    const session = await openSession(stage, member.user);
    assert.match(await open(session, '/'), /<a class="bell" href="\/alerts">.*Alerts, none open/);
    assert.match(
      await open(session, '/alerts'),
      /Nothing is open\..*listed here until it.*Choose what to be told about/s,
    );
    await breakConnection('c1', 'Acme <b>');
    await breakConnection('c2');
    await stage.look();
    for (const path of ['/', '/reports', '/settings'])
      assert.match(await open(session, path), /class="bell".*<strong>2<span class="unseen"> open<\/span>/s);
    const page = await open(session, '/alerts');
    assert.match(page, /Acme &lt;b&gt; \(c1@acme\.example\) needs to be reconnected/);
    assert.match(page, /Open Acme in Patchbay and choose Reconnect\./);
    assert.match(page, /<a class="button" href="\/integrations\/acme">Reconnect<\/a>/);
    await happen('connection.recovered', 'c1');
    await stage.look();
    assert.doesNotMatch(await open(session, '/alerts'), /c1@acme/);
  });

  test('let anyone dismiss what is open', async () => {
    const { member, breakConnection } = await stage.newTeam();
    const session = await openSession(stage, member.user);
    await breakConnection('c1');
    await stage.look();
    const [, path = ''] = /action="(\/alerts\/[^"]+\/dismiss)"/.exec(await open(session, '/alerts')) ?? [];
    const dismissed = await post(session, {}, path);
    assert.deepEqual([dismissed.statusCode, dismissed.headers.location], [303, '/alerts?done=dismissed']);
    assert.match(await open(session, '/alerts?done=dismissed'), /Alert dismissed\..*Nothing is open\./s);
    assert.match(await open(session, '/'), /Alerts, none open/);
    const again = await post(session, {}, path);
    assert.equal(again.statusCode, 404);
    assert.match(again.body, /There is no such open alert\..*Nothing is open\./s);
  });

  test('show nothing of another team', async () => {
    const { breakConnection } = await stage.newTeam();
    const other = await stage.newTeam();
    await breakConnection('theirs');
    await stage.look();
    assert.match(await open(await openSession(stage, other.member.user), '/alerts'), /Nothing is open\./);
  });

  test('count no further than 99', async () => {
    const { team, admin, change } = await stage.newTeam();
    await change({ voicemail: { mail: true, slack: false } });
    const events = Array.from({ length: 101 }, (_, index) => ({
      ...{ teamId: team.id, type: 'call.voicemail' as const, subject: `many-${index}`, data: { from: null } },
    }));
    await stage.record(...events);
    await stage.look();
    const page = await open(await openSession(stage, admin.user), '/alerts');
    assert.match(page, /<strong>99\+<span/);
    assert.match(page, /Only the newest 100 are shown\. There are more\./);
    assert.match(page, /Voicemail from a private number/);
  });

  test('let admins choose what to be told about, and members see it', async () => {
    const { admin, member, useSlack, ask } = await stage.newTeam();
    const [asAdmin, asMember] = [await openSession(stage, admin.user), await openSession(stage, member.user)];
    const page = await open(asAdmin, '/settings/alerts');
    const isChecked = (text: string, name: string): boolean =>
      new RegExp(`name="${name}" value="on" checked`).test(text);
    assert.deepEqual(
      ['reconnect-mail', 'endpoint-slack', 'voicemail-mail', 'missed-slack'].map((name) => isChecked(page, name)),
      [true, true, false, false],
    );
    assert.match(page, /Slack isn't set up/);
    assert.match(page, /no <a href="\/settings">business hours<\/a>, so every missed call counts/);
    assert.match(page, /On these pages means <a[^>]*>behind the bell/);
    assert.match(await open(asAdmin, '/alerts'), /Voicemails and missed calls can be listed, too\./);
    await useSlack();
    const saved = await post(asAdmin, { 'voicemail-mail': 'on', 'missed-slack': 'on' });
    assert.deepEqual([saved.statusCode, saved.headers.location], [303, '/settings/alerts?done=saved']);
    const after = await open(asAdmin, '/settings/alerts?done=saved');
    assert.match(after, /Alerts saved\./);
    assert.match(after, /Slack messages go to the channel/);
    assert.match(await open(asAdmin, '/alerts'), /Voicemails and missed calls are listed, too\./);
    const { settings } = (await ask('GET', '/api/events/alerts')).body;
    assert.deepEqual(settings, {
      reconnect: { pages: false, mail: false, slack: false },
      voicemail: { pages: true, mail: true, slack: false },
      missed: { pages: true, mail: false, slack: true },
      endpoint: { pages: false, mail: false, slack: false },
      approval: { pages: false, mail: false, slack: false },
    });
    assert.match(await open(asMember, '/settings/alerts'), /A team admin can change this\./);
    assert.equal((await post(asMember, {})).statusCode, 403);
  });

  test('list what was chosen for the pages alone behind the bell, and send it to nobody', async () => {
    const team = await stage.newTeam();
    const session = await openSession(stage, team.admin.user);
    await team.useSlack();
    await post(session, { 'reconnect-pages': 'on' });
    assert.match(await open(session, '/settings/alerts'), /name="reconnect-pages" value="on" checked/);
    await team.breakConnection('c1');
    await stage.tell();
    assert.equal((await team.open()).length, 1);
    assert.match(await open(session, '/'), /class="bell".*<strong>1<span class="unseen"> open/s);
    assert.deepEqual([team.mails(), team.posts()], [[], []]);
    const { events } = (await team.ask('GET', '/api/audit')).body;
    const [{ detail }] = events.filter(({ action }: { action: string }) => action === 'event_alerts.change');
    assert.deepEqual(
      detail.off,
      ['reconnect', 'endpoint', 'approval'].flatMap((kind) => [`${kind} by mail`, `${kind} by slack`]),
    );
    await post(session, {});
    assert.deepEqual(await team.open(), []);
  });
});
