import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI, { toFile } from 'openai';
import { makeTone } from '../../src/telephony/simulator/simulated-media.ts';
import { onOneEngine } from '../harness/databases.ts';
import { AUDIO, openTranscriptsStage, TRANSCRIBE_KEY } from '../harness/transcripts-stage.ts';
import { useStage } from '../harness/use-stage.ts';

/** A real server, if there is one to try. */
const REAL = process.env['PATCHBAY_TEST_TRANSCRIBE_URL'];

onOneEngine('the transcription server of the tests', (engine) => {
  const stage = useStage(() => openTranscriptsStage(engine));

  const open = (key: string) =>
    new OpenAI({ apiKey: key, baseURL: `${stage.transcriber.url}/v1`, maxRetries: 0 }).audio.transcriptions;

  test("gets the same from us as from OpenAI's own client, and answers as that client expects", async () => {
    const { transcriber } = stage;
    const segments = [{ id: 0, start: 0, end: 2.5, text: ' Please call me back.' }];
    transcriber.respond = transcriber.answer('Please call me back.', { segments });
    transcriber.heard.length = 0;
    const voicemail = await stage.openVoicemail();
    await voicemail.leave();
    await voicemail.fetch();
    await voicemail.transcribe();
    const file = await toFile(AUDIO, 'recording.mp3', { type: 'audio/mpeg' });
    const told = await open(TRANSCRIBE_KEY).create({
      ...{ file, model: 'small', response_format: 'verbose_json', timestamp_granularities: ['segment'] },
    });
    assert.equal(told.text, (await voicemail.read()).transcript.text);
    assert.equal(told.segments?.[0]?.end, 2.5);
    const [ours, theirs, ...others] = transcriber.heard;
    assert.ok(ours && theirs);
    assert.deepEqual(others, []);
    assert.deepEqual(ours, theirs);
  });

  test('refuses a wrong key as that client expects', async () => {
    const file = await toFile(AUDIO, 'recording.mp3');
    const refused = open('another-key').create({ file, model: 'small' });
    await assert.rejects(refused, (error) => error instanceof OpenAI.AuthenticationError && error.status === 401);
  });
});

if (REAL)
  onOneEngine('a real transcription server', (engine) => {
    const stage = useStage(() =>
      openTranscriptsStage(engine, {
        env: {
          TRANSCRIBE_URL: REAL,
          TRANSCRIBE_KEY: process.env['PATCHBAY_TEST_TRANSCRIBE_KEY'] ?? '',
          TRANSCRIBE_MODEL: process.env['PATCHBAY_TEST_TRANSCRIBE_MODEL'] ?? '',
        },
        audio: { type: 'audio/wav', bytes: makeTone(3) },
      }),
    );

    test('takes what we send', async () => {
      const voicemail = await stage.openVoicemail();
      await voicemail.leave();
      await voicemail.fetch();
      await voicemail.transcribe();
      const [row] = await stage.app.database.all<{ state: string; problem: string | null }>(
        'select state, problem from transcripts where team_id = $1',
        [voicemail.team.id],
      );
      // A tone has no words. Whether the server hears some or none, it has taken the audio.
      assert.ok(row?.state === 'ready' || /recognized no words/.test(row?.problem ?? ''), row?.problem ?? '');
    });
  });
