import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../harness/databases.ts';
import { followEvents } from '../harness/follow-events.ts';
import { AUDIO, openTranscriptsStage, TRANSCRIBE_KEY } from '../harness/transcripts-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

onEachEngine('the transcript of a voicemail', (engine) => {
  const stage = useStage(() => openTranscriptsStage(engine));

  const none = { state: 'none', text: null, language: null, source: null, at: null };

  test('is made by the own server, once, from exactly the audio', async () => {
    const { transcriber } = stage;
    const voicemail = await stage.openVoicemail();
    const log = await followEvents(stage.server, voicemail.member.headers);
    await voicemail.leave();
    assert.deepEqual((await voicemail.read()).transcript, none);
    await voicemail.fetch();
    assert.deepEqual((await voicemail.read()).transcript, { ...none, state: 'waiting', source: 'own' });
    transcriber.heard.length = 0;
    const segments = [{ id: 0, start: 0, end: 2.5, text: ' Please call me back' }];
    transcriber.respond = transcriber.answer('Please call me back.', { segments });
    const other = await stage.openOther();
    await Promise.all([voicemail.transcribe(), voicemail.transcribe(1, other.app)]);
    await other.close();
    await voicemail.transcribe();
    const [heard = assert.fail()] = transcriber.heard;
    assert.equal(heard.authorization, `Bearer ${TRANSCRIBE_KEY}`);
    assert.deepEqual([heard.fields['model'], heard.fields['response_format']], ['small', 'verbose_json']);
    const { file } = heard;
    assert.ok(file);
    assert.ok(file.bytes.equals(AUDIO));
    assert.deepEqual([file.name, file.type], ['recording.mp3', 'audio/mpeg']);
    const at = new Date(stage.clock.now()).toISOString();
    const transcript = { state: 'ready', text: 'Please call me back.', language: 'english', source: 'own', at };
    const read = await voicemail.read();
    assert.deepEqual(read.transcript, transcript);
    const [ready, ...others] = (await log.next()).filter(({ type }) => type === 'transcript.ready');
    assert.deepEqual([ready?.data['id'], ready?.data['transcript'], others], [read.id, transcript, []]);
  });

  test('is in events up to 2,000 characters, and whole where the recording is read', async () => {
    const voicemail = await stage.openVoicemail();
    const log = await followEvents(stage.server, voicemail.member.headers);
    await voicemail.leave();
    await voicemail.fetch();
    const text = 'Ünd '.repeat(1_000).trim();
    stage.transcriber.respond = stage.transcriber.answer(text);
    await voicemail.transcribe();
    assert.equal((await voicemail.read()).transcript.text, text);
    const ready = (await log.next()).find(({ type }) => type === 'transcript.ready');
    const told = ready?.data['transcript'] as { text: string } | undefined;
    assert.equal(told?.text, text.slice(0, 2_000));
  });

  test('is asked for again for a day while the server is away, and then fails', async () => {
    const { transcriber, clock } = stage;
    const voicemail = await stage.openVoicemail();
    await voicemail.leave();
    await voicemail.fetch();
    transcriber.respond = (response) => response.writeHead(503, { 'retry-after': '7200' }).end('later');
    await voicemail.transcribe();
    assert.equal(await voicemail.dueIn(), 2 * HOUR_MS);
    assert.equal((await voicemail.read()).transcript.state, 'waiting');
    transcriber.respond = (response) => response.destroy();
    for (const [hours, dueIn] of [
      [2, 30 * MINUTE_MS],
      [21.9, 30 * MINUTE_MS],
    ] as const) {
      clock.advance(hours * HOUR_MS);
      await voicemail.transcribe();
      assert.ok(((await voicemail.dueIn()) ?? 0) <= dueIn);
      assert.equal((await voicemail.read()).transcript.state, 'waiting');
    }
    clock.advance(HOUR_MS);
    await voicemail.transcribe();
    const { state, text } = (await voicemail.read()).transcript;
    assert.deepEqual([state, text], ['failed', null]);
    const [{ problem } = assert.fail()] = await stage.app.database.all<{ problem: string }>(
      'select problem from transcripts where team_id = $1',
      [voicemail.team.id],
    );
    assert.match(problem, /can't be reached/);
  });

  test("isn't made for a number without it, nor after it was turned off", async () => {
    const { server, transcriber } = stage;
    const made = await stage.newTeam();
    const change = async (answer: object) => {
      const url = `/api/telephony/numbers/${made.number.id}`;
      const { statusCode } = await server.inject({
        ...{ method: 'PATCH', url, headers: made.admin.headers, payload: { answer } },
      });
      assert.equal(statusCode, 200);
    };
    const waiting = await stage.openVoicemail(made);
    await waiting.leave();
    await waiting.fetch();
    await change({});
    transcriber.heard.length = 0;
    await waiting.transcribe();
    const off = await stage.openVoicemail(made);
    await off.leave();
    await off.fetch();
    assert.equal(await off.dueIn(), null);
    await off.transcribe();
    assert.deepEqual([(await waiting.read()).transcript, (await off.read()).transcript], [none, none]);
    assert.equal(transcriber.heard.length, 0);
  });

  test('waits for the call of a recording that comes first', async () => {
    const { line, ...voicemail } = await stage.openVoicemail();
    await line.recorded(voicemail.callSid, voicemail.recordingSid);
    await stage.app.telephony.settle();
    await voicemail.fetch();
    assert.equal(await voicemail.dueIn(), 15_000);
    assert.deepEqual((await voicemail.read()).transcript, none);
    await line.rings(voicemail.callSid);
    await stage.app.telephony.settle();
    stage.transcriber.respond = stage.transcriber.answer('There it is.');
    await voicemail.transcribe();
    assert.equal((await voicemail.read()).transcript.text, 'There it is.');
  });
});
