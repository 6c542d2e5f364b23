import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveAddress, sendAlerts } from '../harness/alert-stage.ts';
import { onOneEngine } from '../harness/databases.ts';
import { startMailServer } from '../harness/mail-server.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { openSession } from '../harness/sessions.ts';
import { openTranscriptsStage } from '../harness/transcripts-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const SAID = 'Hi, <b>this</b> is Ada. Please call me back about the Gärten at evil.example today.';
const GATHER_MS = 20_000;

onOneEngine('what was said in a voicemail', (engine) => {
  const mail = useStage(async () => {
    const server = await startMailServer();
    return { url: server.url, received: server.received, close: () => server.stop() };
  });
  const stage = useStage(() =>
    openTranscriptsStage(engine, { env: { SMTP_URL: mail.url, MAIL_FROM: 'Patchbay <patchbay@hooks.example>' } }),
  );

  const leave = async (text = SAID, more: object = {}, made?: Awaited<ReturnType<typeof stage.newTeam>>) => {
    const voicemail = await stage.openVoicemail(made);
    await voicemail.leave();
    await voicemail.fetch();
    stage.transcriber.respond = stage.transcriber.answer(text, more);
    await voicemail.transcribe();
    const { call, id } = await voicemail.read();
    return { ...voicemail, call: call as string, recording: id as string };
  };

  const search = async ({ get }: Pick<Awaited<ReturnType<typeof leave>>, 'get'>, text: string) => {
    const { calls } = (await get(`/api/calls?search=${encodeURIComponent(text)}`)).json();
    return calls.map(({ id }: { id: string }) => id);
  };

  test('is found by the search, in a file, and in the story of the call', async () => {
    const { get, call } = await leave();
    assert.deepEqual(await search({ get }, 'garten'), [call]);
    assert.deepEqual(await search({ get }, 'back about'), [call]);
    assert.deepEqual(await search({ get }, 'fence'), []);
    const [{ transcript } = assert.fail()] = (await get(`/api/calls/${call}`)).json().recordings;
    assert.deepEqual([transcript.state, transcript.text], ['ready', SAID]);
  });

  test('is not found, nor read, by a token that may not hear recordings', async () => {
    const { admin, call, recording } = await leave('A secret word: xylophone');
    const read = async (can: string[], url: string, accept = 'application/json') => {
      const headers = await makeToken(stage.server, admin.headers, { can });
      return stage.server.inject({ url, headers: { ...headers, accept } });
    };
    const blind = ['calls', 'events'];
    const all = [...blind, 'recordings'];
    const found = '/api/calls?search=xylophone';
    assert.deepEqual((await read(blind, found)).json().calls, []);
    assert.equal((await read(all, found)).json().calls[0].id, call);
    for (const url of ['/api/calls', found, `/api/calls/${call}`, '/api/events'])
      for (const accept of ['text/csv', 'application/json'])
        assert.doesNotMatch((await read(blind, url, accept)).body, /xylophone/, `${url} ${accept}`);
    assert.equal((await read(blind, `/api/recordings/${recording}`)).statusCode, 403);
    assert.match((await read(all, '/api/calls', 'text/csv')).body, /A secret word: xylophone/);
    assert.match((await read(all, '/api/events')).body, /xylophone/);
    const told = (await read(blind, '/api/events?type=transcript.ready')).json().events;
    assert.deepEqual(
      told.map(({ data }: { data: object }) => data),
      [{ withheld: true }],
    );
  });

  test('is beside the player, said to be made by a machine, and only text', async () => {
    const segments = [
      { start: 0, end: 1.5, text: 'Hi, <b>this</b> is Ada.' },
      { start: 1.5, end: 4, text: '<script>alert(1)</script>' },
    ];
    const { call, recording, admin, get } = await leave(SAID, { segments, language: 'en' });
    const session = await openSession(stage, admin.user);
    const page = await stage.server.inject({ url: `/calls/${call}`, headers: session.headers });
    assert.match(page.body, /What a machine heard/);
    assert.match(page.body, /It may be wrong/);
    assert.ok(page.body.includes(`lang="en" data-follows="audio-${recording}"`));
    assert.ok(page.body.includes('<span data-start="0" data-end="1.5">Hi, &lt;b&gt;this&lt;/b&gt; is Ada.</span>'));
    assert.doesNotMatch(page.body, /<script>|<b>this/);
    assert.match(page.body, /assets\/call-follow\.js/);
    const list = await stage.server.inject({ url: '/calls', headers: session.headers });
    assert.match(list.body, /A machine heard: <\/span><q>Hi, &lt;b&gt;this/);
    assert.equal((await get(`/api/recordings/${recording}`)).json().recording.transcript.language, 'en');
  });

  test('is in the alert, without anything that an app turns into a link', async () => {
    const made = await stage.newTeam();
    await proveAddress(stage.app.database, made.admin.user.id);
    const channels = { mail: true, slack: false };
    const settings = { reconnect: channels, voicemail: channels, missed: channels, endpoint: channels };
    const put = await stage.server.inject({
      ...{ method: 'PUT', url: '/api/events/alerts', headers: made.admin.headers, payload: { settings } },
    });
    assert.ok(put.statusCode < 300, put.body);
    await leave(SAID, {}, made);
    await stage.app.notices.alerts.look();
    stage.clock.advance(GATHER_MS);
    await stage.app.notices.alerts.look();
    await sendAlerts(stage.app);
    const told = mail.received.map(({ raw }) => raw.replaceAll(/=\r?\n/g, '')).join('\n');
    assert.match(told, /A machine heard/);
    assert.match(told, /Please call me back about/);
    assert.doesNotMatch(told, /evil\.example/);
  });
});
