import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { readAllLines } from '../harness/archive-lines.ts';
import { findCanaries, readFiles } from '../harness/canaries.ts';
import { onEachEngine } from '../harness/databases.ts';
import { followEvents } from '../harness/follow-events.ts';
import { runCommand, settingsOf } from '../harness/run-command.ts';
import { RECORDING } from '../harness/telephony-stage.ts';
import { makeTestDirectory } from '../harness/test-directory.ts';
import { openTranscriptsStage } from '../harness/transcripts-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const PERSON = '+15551230001';

onEachEngine('what was said by somebody who is erased', (engine) => {
  const stage = useStage(() => openTranscriptsStage(engine));

  /** A voicemail with these words, by the own server or by the provider. */
  const leave = async (words: string, by: 'own' | 'provider') => {
    const voicemail = await stage.openVoicemail();
    await voicemail.leave();
    if (by === 'own') {
      await voicemail.fetch();
      stage.transcriber.respond = stage.transcriber.answer(words, { segments: [{ start: 0, end: 1, text: words }] });
      await voicemail.transcribe();
    } else {
      const { account, callSid: CallSid, recordingSid: RecordingSid } = voicemail;
      const told = { TranscriptionStatus: 'completed', TranscriptionText: words };
      await voicemail.line.post(RECORDING, { AccountSid: account.accountId, CallSid, RecordingSid, ...told });
      await stage.app.telephony.settle();
    }
    assert.equal((await voicemail.read()).transcript.text, words);
    return voicemail;
  };

  const sealedOf = async (teamId: string): Promise<string> => {
    const row = await stage.app.database.get<{ content: string }>(
      'select content from transcripts where team_id = $1',
      [teamId],
    );
    return row?.content ?? assert.fail('There is no transcript.');
  };

  test('is in no file, backup, event, or job, and was never readable in any', async (context) => {
    const directory = makeTestDirectory('patchbay-backup-');
    context.after(directory.remove);
    const back = async (name: string) => {
      const file = join(directory.path, name);
      const { code, stderr } = await runCommand(['backup', file], settingsOf(stage));
      assert.equal(code, 0, stderr);
      return readAllLines(file).join('\n');
    };
    const words = { own: 'canary words of the own server', provider: 'canary words of the provider' };
    const voicemails = [await leave(words.own, 'own'), await leave(words.provider, 'provider')];
    const sealed: Record<string, string> = {};
    for (const { team } of voicemails) sealed[team.name] = await sealedOf(team.id);

    // Before the erasure, a backup has what is sealed, which proves that the search works. Nothing has the words.
    assert.equal(findCanaries(sealed, { backup: await back('before.zst') }).length, 2);
    assert.deepEqual(findCanaries(words, readFiles(stage.config.data)), []);

    for (const { admin, team } of voicemails) {
      const log = await followEvents(stage.server, admin.headers);
      assert.match(JSON.stringify(log.all), /canary words/);
      const payload = { number: PERSON };
      const url = '/api/telephony/erase';
      assert.equal(
        (await stage.server.inject({ method: 'POST', url, headers: admin.headers, payload })).statusCode,
        200,
      );
      const after = await followEvents(stage.server, admin.headers);
      assert.doesNotMatch(JSON.stringify(after.all), /canary words/);
      assert.deepEqual(await stage.app.database.all('select 1 from transcripts where team_id = $1', [team.id]), []);
    }
    assert.deepEqual(findCanaries({ ...sealed, ...words }, { backup: await back('after.zst') }), []);
    assert.deepEqual(findCanaries(words, readFiles(stage.config.data)), []);
    const jobs = await stage.app.database.all<{ payload: string; error: string | null }>(
      'select payload, last_error as error from jobs',
    );
    assert.deepEqual(findCanaries(words, { jobs: JSON.stringify(jobs) }), []);
    assert.deepEqual(findCanaries(words, { log: JSON.stringify(stage.lines) }), []);
  });

  test('goes with the retention of recordings, also from the events', async () => {
    const { admin, team, ...voicemail } = await leave('canary words that end', 'own');
    await stage.app.database.run('update teams set recording_days = 1 where id = $1', [team.id]);
    stage.clock.advance(2 * 86_400_000);
    const { handlePruneTelephony } = await import('../../src/telephony/erasure/prune-telephony.job.ts');
    await handlePruneTelephony(stage.app.telephony.context)({}, { signal: new AbortController().signal });
    const { state, transcript } = await voicemail.read();
    assert.deepEqual([state, transcript.state, transcript.text], ['removed', 'none', null]);
    const log = await followEvents(stage.server, admin.headers);
    assert.doesNotMatch(JSON.stringify(log.all), /canary words/);
  });
});
