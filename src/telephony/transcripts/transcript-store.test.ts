import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { createRecordingsStage } from '../../../test/harness/recordings-stage.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { handlePruneTelephony } from '../erasure/prune-telephony.job.ts';
import { deleteRecordings, lockUnerased, markArchived, markBeingErased } from '../recordings/recording-store.ts';
import { openTranscript, sealTranscript } from './seal-transcript.ts';
import {
  getTranscript,
  insertWaitingTranscript,
  listTranscriptsOf,
  type SettledTranscript,
  settleTranscript,
} from './transcript-store.ts';

const DAY_MS = 86_400_000;

onEachEngine('transcripts', (engine) => {
  const stage = useStage(() => createRecordingsStage(engine));

  const addRecording = async (told = {}) => stage.addRecording(await stage.addAccount(), told);

  const settled = async (recordingId: string, more: Partial<SettledTranscript> = {}): Promise<SettledTranscript> => {
    const owner = { teamId: stage.team.id, recordingId };
    const content = await sealTranscript(stage.vault, owner, { text: 'Call me back', segments: [] });
    const told = { source: 'own' as const, language: 'en', problem: null, now: stage.clock.now() };
    return { ...owner, ...told, content, state: 'ready', ...more };
  };
  const failed = (recordingId: string, problem: string) =>
    settled(recordingId, { state: 'failed', content: null, language: null, problem });

  const read = async (recordingId: string, teamId = stage.team.id) => {
    const row = await getTranscript(stage.database, { teamId, recordingId });
    return row && { state: row.state, problem: row.problem, text: (await openTranscript(stage.vault, row))?.text };
  };

  test('are one per recording, and the first that is ready stays', async () => {
    const { database, team, clock } = stage;
    const recordingId = await addRecording();
    const waiting = { teamId: team.id, recordingId, source: 'own' as const, now: clock.now() };
    assert.equal(await insertWaitingTranscript(database, waiting), 1);
    assert.equal(await insertWaitingTranscript(database, waiting), 0);
    assert.deepEqual(await read(recordingId), { state: 'waiting', problem: null, text: undefined });
    assert.equal(await settleTranscript(database, await failed(recordingId, 'one')), 1);
    assert.equal(await settleTranscript(database, await failed(recordingId, 'two')), 0);
    assert.deepEqual(await read(recordingId), { state: 'failed', problem: 'one', text: undefined });
    assert.equal(await settleTranscript(database, await settled(recordingId)), 1);
    assert.equal(await settleTranscript(database, await settled(recordingId, { source: 'provider' })), 0);
    assert.equal(await settleTranscript(database, await failed(recordingId, 'three')), 0);
    assert.equal(await insertWaitingTranscript(database, waiting), 0);
    assert.deepEqual(await read(recordingId), { state: 'ready', problem: null, text: 'Call me back' });
  });

  test('are read by their team alone', async () => {
    const { database, team, other } = stage;
    const recordingId = await addRecording();
    await settleTranscript(database, await settled(recordingId));
    assert.equal(await read(recordingId, other.id), undefined);
    assert.equal((await listTranscriptsOf(database, other.id, [recordingId])).size, 0);
    assert.deepEqual([...(await listTranscriptsOf(database, team.id, [recordingId])).keys()], [recordingId]);
  });

  test('go with their recording, and none is stored for one that is being erased', async () => {
    const { database, team } = stage;
    const id = await addRecording();
    const lock = () => database.transaction((tx) => lockUnerased(tx, team.id, id));
    await settleTranscript(database, await settled(id));
    assert.equal(await lock(), true);
    await markBeingErased(database, [{ id, teamId: team.id }]);
    assert.equal(await lock(), false);
    await deleteRecordings(database, [{ id, teamId: team.id }]);
    assert.equal(await lock(), false);
    assert.equal(await read(id), undefined);
  });

  test('end with the retention of recordings, also if the recording itself never came', async () => {
    const { database, team, clock } = stage;
    const [archived, stray, kept] = [await addRecording(), await addRecording(), await addRecording()];
    for (const id of [archived, stray]) await settleTranscript(database, await settled(id));
    const audio = { fetchedFrom: 'provider.test', contentType: 'audio/mpeg', bytes: 5, sha256: 'x', sealed: false };
    await markArchived(database, team.id, archived, { ...audio, keepsAddress: false, now: clock.now() });
    await database.run('update teams set recording_days = 10 where id = $1', [team.id]);
    clock.advance(11 * DAY_MS);
    await settleTranscript(database, await settled(kept));
    await handlePruneTelephony(stage)({}, { signal: new AbortController().signal });
    assert.equal(await read(archived), undefined);
    assert.equal(await read(stray), undefined);
    assert.equal((await read(kept))?.state, 'ready');
    const lock = () => database.transaction((tx) => lockUnerased(tx, team.id, archived));
    assert.equal(await lock(), false);
  });

  test('that never came have failed after three days', async () => {
    const { database, team, clock } = stage;
    const recordingId = await addRecording();
    await insertWaitingTranscript(database, { teamId: team.id, recordingId, source: 'own', now: clock.now() });
    const prune = () => handlePruneTelephony(stage)({}, { signal: new AbortController().signal });
    clock.advance(3 * DAY_MS);
    await prune();
    assert.equal((await read(recordingId))?.state, 'waiting');
    clock.advance(1);
    await prune();
    assert.deepEqual(await read(recordingId), {
      state: 'failed',
      problem: 'The transcript never came.',
      text: undefined,
    });
  });
});
