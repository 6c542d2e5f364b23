import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordingKey, StorageFailed } from '../../src/telephony/contract/recording-storage.ts';
import { handlePruneTelephony } from '../../src/telephony/erasure/prune-telephony.job.ts';
import { onOneEngine } from '../harness/databases.ts';
import { createTestErasure } from '../harness/team-erasure.ts';
import { newCallSid, newRecordingSid, openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const DAY_MS = 24 * 3_600_000;
const RECORDINGS = 3;

onOneEngine('a team that is erased while the bucket is away', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));
  const erasure = createTestErasure(stage);

  test('is gone after seven days with its encryption key, and its audio once the bucket is back', async () => {
    const { context } = stage.app.telephony;
    const { storage } = context;
    const { remove } = storage;
    const asked: string[] = [];
    const { team, line } = await stage.newTeam();
    const sid = newCallSid();
    await line.rings(sid);
    for (let count = 0; count < RECORDINGS; count++) await line.recorded(sid, newRecordingSid());
    await stage.app.telephony.settle();
    const rows = await stage.app.database.all<{ id: string }>('select id from recordings where team_id = $1', [
      team.id,
    ]);
    const keys = rows.map(({ id }) => recordingKey({ teamId: team.id, id })).sort();
    assert.equal(keys.length, RECORDINGS);
    storage.remove = async (key) => {
      asked.push(key);
      throw new StorageFailed('away');
    };
    try {
      await erasure.begin(team.id);
      await erasure.run();
      stage.clock.advance(7 * DAY_MS - 1);
      await erasure.run();
      assert.equal(await erasure.exists(team.id), true);
      asked.length = 0;
      await erasure.expectGone(team.id);
      assert.equal(asked.length, 1, 'It is not waited for once per recording.');
    } finally {
      storage.remove = async (key) => {
        asked.push(key);
        await remove(key);
      };
    }
    asked.length = 0;
    await handlePruneTelephony(context)({}, { signal: new AbortController().signal });
    assert.deepEqual(asked.sort(), keys);
    assert.equal((await stage.app.database.all('select object_key from audio_to_remove')).length, 0);
    storage.remove = remove;
  });
});
