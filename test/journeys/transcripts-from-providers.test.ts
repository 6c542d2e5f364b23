import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../harness/databases.ts';
import { followEvents } from '../harness/follow-events.ts';
import { RECORDING, signForm } from '../harness/telephony-stage.ts';
import { openTranscriptsStage } from '../harness/transcripts-stage.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine("a telephony provider's transcript", (engine) => {
  const stage = useStage(() => openTranscriptsStage(engine, { answer: { transcribe: 'provider' } }));

  type Voicemail = Awaited<ReturnType<typeof stage.openVoicemail>>;

  /** Posts the text as the provider does, signed with the account's token. */
  const post = async ({ line, account, callSid, recordingSid }: Voicemail, more: Record<string, string> = {}) => {
    const params = {
      ...{ AccountSid: account.accountId, CallSid: callSid, From: '+15551230001', To: '+15551239999' },
      ...{ CallStatus: 'completed', Direction: 'inbound', RecordingSid: recordingSid, TranscriptionType: 'fast' },
      ...{ TranscriptionSid: `TR${'7'.repeat(32)}`, TranscriptionStatus: 'completed' },
      ...{ TranscriptionText: 'Please call me back about the fence.', ...more },
    };
    const answered = await line.post(RECORDING, params);
    await stage.app.telephony.settle();
    return answered;
  };

  const stateOf = async (voicemail: Voicemail) => {
    const { state, text, source } = (await voicemail.read()).transcript;
    return { state, text, source };
  };
  const READY = { state: 'ready', text: 'Please call me back about the fence.', source: 'provider' };

  test('is asked for in the reply, and stored with its recording', async () => {
    const voicemail = await stage.openVoicemail();
    const log = await followEvents(stage.server, voicemail.member.headers);
    const reply = await voicemail.line.rings(voicemail.callSid);
    assert.match(reply.body, /<Record [^>]*transcribe="true" transcribeCallback="[^"]*telephony\/recording\?account=/);
    await voicemail.leave();
    await voicemail.fetch();
    assert.equal((await post(voicemail)).statusCode, 204);
    assert.deepEqual(await stateOf(voicemail), READY);
    await post(voicemail);
    await post(voicemail, { TranscriptionText: 'Another text' });
    await post(voicemail, { TranscriptionStatus: 'failed', TranscriptionText: '' });
    assert.deepEqual(await stateOf(voicemail), READY);
    const told = (await log.next()).filter(({ type }) => type === 'transcript.ready');
    assert.equal(told.length, 1);
    const [call] = await voicemail.calls();
    assert.deepEqual([call?.outcome, call?.status], ['voicemail', 'ended']);
    assert.equal(stage.transcriber.heard.length, 0);
  });

  test('comes before everything else, and is there when the recording is', async () => {
    const voicemail = await stage.openVoicemail();
    await post(voicemail);
    assert.deepEqual([(await voicemail.read()).state, await stateOf(voicemail)], ['announced', READY]);
    await voicemail.leave();
    await voicemail.fetch();
    const { state, call } = await voicemail.read();
    const calls = await voicemail.calls();
    assert.deepEqual([state, call, calls.length], ['archived', calls[0]?.id, 1]);
    assert.deepEqual(await stateOf(voicemail), READY);
  });

  test('that failed says so, until one comes after all', async () => {
    const voicemail = await stage.openVoicemail();
    await voicemail.leave();
    await post(voicemail, { TranscriptionStatus: 'failed', TranscriptionText: '' });
    assert.deepEqual(await stateOf(voicemail), { state: 'failed', text: null, source: 'provider' });
    await post(voicemail);
    assert.deepEqual(await stateOf(voicemail), READY);
  });

  test('is kept in one place: the delivery that brought it loses its text', async () => {
    const voicemail = await stage.openVoicemail();
    await voicemail.leave();
    await post(voicemail);
    const rows = await stage.app.database.all<{ payload: string | null }>(
      `select payload from deliveries where team_id = $1 and told like '%transcripts%'`,
      [voicemail.team.id],
    );
    assert.deepEqual(
      rows.map(({ payload }) => payload),
      [null],
    );
  });

  test('of an erased call is refused, also if it names only the recording', async () => {
    const voicemail = await stage.openVoicemail();
    await voicemail.leave();
    await voicemail.fetch();
    const { recordingId } = await voicemail.rowOf();
    const erased = await stage.server.inject({
      ...{ method: 'POST', url: '/api/telephony/erase', headers: voicemail.admin.headers },
      payload: { number: '+15551230001' },
    });
    assert.equal(erased.json().recordings, 1);
    const nameless = { From: '', To: '', CallSid: '', Direction: '', CallStatus: '' };
    for (const more of [{}, nameless]) assert.equal((await post(voicemail, more)).statusCode, 204);
    const { database } = stage.app;
    assert.deepEqual(await database.all('select id from recordings where id = $1', [recordingId]), []);
    for (const table of ['recordings', 'transcripts', 'calls'])
      assert.deepEqual(await database.all(`select 1 from ${table} where team_id = $1`, [voicemail.team.id]), [], table);
  });

  test("is believed only if it's signed, by the account whose recording it is", async () => {
    const voicemail = await stage.openVoicemail();
    await voicemail.leave();
    const stranger = await stage.openVoicemail(await stage.newTeam({ authToken: 'token-of-the-strangers' }));
    const params = {
      ...{ AccountSid: voicemail.account.accountId, CallSid: voicemail.callSid, RecordingSid: voicemail.recordingSid },
      ...{ TranscriptionStatus: 'completed', TranscriptionText: 'Forged' },
    };
    const address = voicemail.line.address(RECORDING);
    const forged = signForm(address, params, 'another-token');
    assert.equal((await stage.server.inject(forged)).statusCode, 403);
    const { 'x-twilio-signature': _, ...unsigned } = forged.headers;
    assert.equal((await stage.server.inject({ ...forged, headers: unsigned })).statusCode, 403);
    // A signature of another text, on this one.
    const right = signForm(address, params);
    const bent = { ...right, payload: right.payload.replace('Forged', 'Forget') };
    assert.equal((await stage.server.inject(bent)).statusCode, 403);
    // Another team's account, which signs rightly, names this team's recording.
    const theirs = { ...params, AccountSid: stranger.account.accountId };
    const own = signForm(stranger.line.address(RECORDING), theirs, 'token-of-the-strangers');
    assert.equal((await stage.server.inject(own)).statusCode, 204);
    await stage.app.telephony.settle();
    assert.deepEqual(await stateOf(voicemail), { state: 'none', text: null, source: null });
  });

  test('is refused in the value of another parameter, because its signature would fit a transcript, too', async () => {
    const { line, account, callSid, recordingSid } = await stage.openVoicemail();
    for (const value of ['xTranscriptionStatuscompleted', 'xTranscriptionTextForged', 'xTranscriptionSidTR1']) {
      const params = { AccountSid: account.accountId, CallSid: callSid, RecordingSid: recordingSid, Speech: value };
      assert.equal((await line.post(RECORDING, params)).statusCode, 403, value);
    }
  });
});
