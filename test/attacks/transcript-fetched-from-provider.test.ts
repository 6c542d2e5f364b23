import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Outbound, OutboundRequest } from '../../src/platform/index.ts';
import { bandwidth } from '../../src/telephony/providers/bandwidth/index.ts';
import { vonage } from '../../src/telephony/providers/vonage/index.ts';
import { getRecording } from '../../src/telephony/recordings/recording-store.ts';
import { handleTranscribeRecording } from '../../src/telephony/transcription/handle-transcription.ts';
import { openTranscript, sealTranscript } from '../../src/telephony/transcripts/seal-transcript.ts';
import { getTranscript, insertWaitingTranscript } from '../../src/telephony/transcripts/transcript-store.ts';
import { onOneEngine } from '../harness/databases.ts';
import { createRecordingsStage } from '../harness/recordings-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const ACCOUNT = '9900778';
const CALL = 'c-15ac29a2';
const URL_OF = (recordingId: string): string =>
  `https://voice.bandwidth.com/api/v2/accounts/${ACCOUNT}/calls/${CALL}/recordings/${recordingId}/transcription`;

const asked: OutboundRequest[] = [];
let respond = (): { status: number; body: string } => ({ status: 200, body: '{}' });
const outbound: Outbound = {
  request: async (request) => {
    asked.push(request);
    if (request.url.endsWith('/oauth2/token'))
      return { status: 200, headers: {}, body: Buffer.from('{"access_token":"bearer-of-the-tests"}') };
    const { status, body } = respond();
    return { status, headers: {}, body: Buffer.from(body) };
  },
  open: () => Promise.reject(new Error('Nobody asks for that.')),
};

onOneEngine('a transcript that a provider only points to', (engine) => {
  const stage = useStage(() => createRecordingsStage(engine, { outbound, provider: bandwidth }));
  afterEach(() => {
    asked.length = 0;
  });

  const open = async (urlOf: (recordingId: string) => string = URL_OF) => {
    const { database, vault, team, clock } = stage;
    const accountId = await stage.addAccount({ clientId: 'id', clientSecret: 'secret-of-the-client' });
    await database.run('update telephony_accounts set external_id = $2 where id = $1', [
      accountId,
      `${ACCOUNT}-${accountId}`,
    ]);
    await database.run('update telephony_accounts set external_id = null where external_id = $1', [ACCOUNT]);
    await database.run('update telephony_accounts set external_id = $2 where id = $1', [accountId, ACCOUNT]);
    const recordingId = await stage.addRecording(accountId);
    const { externalId } = (await getRecording(database, team.id, recordingId)) ?? { externalId: '' };
    const owner = { teamId: team.id, recordingId };
    const content = await sealTranscript(vault, owner, { text: '', segments: [], url: urlOf(externalId) });
    await insertWaitingTranscript(database, { ...owner, source: 'provider', content, now: clock.now() });
    return {
      run: async () => {
        await handleTranscribeRecording(stage)(owner, { attempt: 1, signal: new AbortController().signal });
        const row = await getTranscript(database, owner);
        const text = row?.state === 'ready' ? (await openTranscript(vault, row))?.text : null;
        return { state: row?.state, problem: row?.problem, text };
      },
    };
  };

  test('is fetched with a token, and made safe', async () => {
    respond = () => ({
      status: 200,
      body: JSON.stringify({
        transcripts: [{ text: 'Call \u202eme\u202c back', confidence: 0.9 }, { text: 'Yes' }, 7],
      }),
    });
    const { run } = await open();
    assert.deepEqual(await run(), { state: 'ready', problem: null, text: 'Call me back\nYes' });
    const [token, request] = asked;
    assert.match(String(token?.url), /^https:\/\/api\.bandwidth\.com\//);
    assert.equal(request?.headers?.['authorization'], 'Bearer bearer-of-the-tests');
    assert.equal(request?.trusted, undefined);
    await run();
    assert.equal(asked.length, 2, 'It is asked for once.');
  });

  test('is fetched from nowhere but the provider', async () => {
    for (const url of [
      () => 'https://evil.example/transcription',
      () => 'https://voice.bandwidth.com.evil.example/api/v2/accounts/9900778/calls/c/recordings/r/transcription',
      (id: string) => URL_OF(id).replace(ACCOUNT, '1234567'),
      () => URL_OF('r-another'),
      (id: string) => `${URL_OF(id)}?x=1`,
      () => '',
    ]) {
      const { state, problem } = await (await open(url)).run();
      assert.deepEqual([state, asked.length], ['waiting', 0]);
      assert.match(problem ?? '', /a recording URL that belongs to the account/);
    }
  });

  test('that is something else, or not there, is asked for again', async () => {
    for (const [status, body, problem] of [
      [200, '<html>', /something other than a transcript/],
      [200, '{"transcripts":"x"}', /something other than a transcript/],
      [404, 'no', /returned 404/],
    ] as const) {
      respond = () => ({ status, body });
      const told = await (await open()).run();
      assert.equal(told.state, 'waiting');
      assert.match(told.problem ?? '', problem);
    }
    respond = () => ({ status: 200, body: '{"transcripts":[{"text":" "}]}' });
    const told = await (await open()).run();
    assert.deepEqual([told.state, told.problem], ['failed', 'The telephony provider recognized no words.']);
  });

  test('of Vonage has the sentences of every channel', () => {
    const read = vonage.transcripts?.read ?? assert.fail();
    const channels = [{ transcript: [{ sentence: 'Hello.' }, { sentence: 'Call me.' }, null] }, { transcript: 'x' }, 5];
    assert.equal(read({ channels }), 'Hello. Call me.');
    for (const wrong of [null, 'x', {}, { channels: 'x' }]) assert.equal(read(wrong), null);
  });
});
