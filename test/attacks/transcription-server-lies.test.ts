import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { verboseJson } from '../harness/transcription-server.ts';
import { openTranscriptsStage, TRANSCRIBE_KEY } from '../harness/transcripts-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MIB = 1024 * 1024;

onOneEngine('a transcription server that misbehaves', (engine) => {
  const stage = useStage(() => openTranscriptsStage(engine));

  type Respond = typeof stage.transcriber.respond;

  const transcribe = async (respond: Respond) => {
    const voicemail = await stage.openVoicemail();
    await voicemail.leave();
    await voicemail.fetch();
    stage.transcriber.respond = respond;
    await voicemail.transcribe();
    const name = await voicemail.rowOf();
    const row = await stage.app.database.get<{ state: string; problem: string | null }>(
      'select state, problem from transcripts where recording_id = $1',
      [name.recordingId],
    );
    return { ...row, text: (await voicemail.read()).transcript.text, voicemail };
  };

  const sends = (status: number, body: string, type = 'application/json'): Respond => {
    return (response) => response.writeHead(status, { 'content-type': type }).end(body);
  };

  const WRONG: readonly [what: string, respond: Respond, state: 'waiting' | 'failed', problem: RegExp][] = [
    ['sends a page', sends(200, '<html><h1>Sign in</h1></html>', 'text/html'), 'waiting', /other than a transcript/],
    ['sends JSON of another form', sends(200, '{"text":{"a":1}}'), 'waiting', /other than a transcript/],
    ['sends a list', sends(200, '["text"]'), 'waiting', /other than a transcript/],
    ['sends 10 MB', sends(200, verboseJson('a'.repeat(10 * MIB))), 'failed', /more than 1 MiB/],
    ['recognizes nothing', sends(200, verboseJson(' \u200b\n')), 'failed', /recognized no words/],
    ['refuses the audio', sends(400, '{"error":"Invalid file"}'), 'failed', /refused the recording \(400\)/],
    ['finds it too large', sends(413, 'too large'), 'failed', /refused the recording \(413\)/],
    ['refuses the key', sends(401, TRANSCRIBE_KEY), 'waiting', /refused our key \(401\)/],
    ['redirects', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), 'waiting', /302/],
    ['has a problem', sends(500, 'stack trace'), 'waiting', /responded with 500/],
    ['hangs up', (response) => response.destroy(), 'waiting', /can't be reached/],
  ];

  for (const [what, respond, state, problem] of WRONG)
    test(`that ${what} leaves a reason, and nothing of its own`, async () => {
      const told = await transcribe(respond);
      assert.equal(told.state, state);
      assert.match(told.problem ?? '', problem);
      assert.doesNotMatch(told.problem ?? '', /127\.0\.0\.1|stack|key-of/);
      assert.equal(told.text, null);
      assert.equal((await told.voicemail.dueIn()) !== null, state === 'waiting');
    });

  test('that sends markup and characters that change how a text reads, sends only a text', async () => {
    const text = '<script>alert(1)</script>\u202ekcab em llac\u202c\u0007';
    const segments = [{ start: 0, end: 1, text: '<img src=x onerror=alert(1)>\u2066' }];
    const { text: read, voicemail } = await transcribe(sends(200, verboseJson(text, { segments, language: '<b>' })));
    assert.equal(read, '<script>alert(1)</script>kcab em llac');
    const { transcript, call } = await voicemail.read();
    assert.equal(transcript.language, null);
    const page = await stage.server.inject({ url: `/api/calls/${call}`, headers: voicemail.member.headers });
    assert.equal(page.statusCode, 200);
  });

  test('that is slow gets no words into a recording that was erased meanwhile', async () => {
    const voicemail = await stage.openVoicemail();
    await voicemail.leave();
    await voicemail.fetch();
    const { recordingId } = await voicemail.rowOf();
    stage.transcriber.respond = async (response, heard) => {
      const erased = await stage.server.inject({
        ...{ method: 'POST', url: '/api/telephony/erase', headers: voicemail.admin.headers },
        payload: { number: '+15551230001' },
      });
      assert.equal(erased.json().recordings, 1);
      stage.transcriber.answer('A secret that was said')(response, heard);
    };
    await voicemail.transcribe();
    const { database } = stage.app;
    assert.deepEqual(await database.all('select state from transcripts where recording_id = $1', [recordingId]), []);
    const events = await database.all('select id from events where subject = $1 and data is not null', [recordingId]);
    assert.deepEqual(events, []);
  });

  test('that is away, or hangs up early, leaves no audio open', async () => {
    const { context } = stage.app.telephony;
    const { open } = context.storage;
    const opened: Readable[] = [];
    context.storage.open = async (...wanted) => {
      const audio = await open(...wanted);
      opened.push(audio);
      return audio;
    };
    const { transcriber } = context;
    try {
      await transcribe((response) => response.destroy());
      context.transcriber = transcriber && { ...transcriber, url: 'http://127.0.0.1:1/v1/audio/transcriptions' };
      assert.match((await transcribe(() => undefined)).problem ?? '', /can't be reached/);
    } finally {
      Object.assign(context, { transcriber });
      context.storage.open = open;
    }
    assert.equal(opened.length, 2);
    await waitUntil('both are closed', () => opened.every(({ destroyed }) => destroyed));
  });

  test('never has its key or what was said in the log', () => {
    const log = JSON.stringify(stage.lines);
    assert.doesNotMatch(log, new RegExp(`${TRANSCRIBE_KEY}|alert|A secret that was said`));
  });
});
