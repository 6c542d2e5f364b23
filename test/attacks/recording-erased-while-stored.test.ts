import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMAND_LINE } from '../../src/teams/index.ts';
import { hashParty } from '../../src/telephony/calls/call-parties.ts';
import { toParty } from '../../src/telephony/contract/party.ts';
import { type RecordingStorage, recordingKey, StorageFailed } from '../../src/telephony/contract/recording-storage.ts';
import { eraseNumber } from '../../src/telephony/erasure/erase-number.ts';
import { createCallEraser } from '../../src/telephony/erasure/erase-team.ts';
import { insertCalls } from '../../src/telephony/processing/call-batch-store.ts';
import { beginCall } from '../../src/telephony/processing/put-calls.ts';
import { getRecording } from '../../src/telephony/recordings/recording-store.ts';
import { onEachEngine } from '../harness/databases.ts';
import { createRecordingsStage, type RecordingsStage } from '../harness/recordings-stage.ts';
import { startTestInternet } from '../harness/test-internet.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const AUDIO = Buffer.concat([Buffer.from('ID3'), Buffer.alloc(20_000, 7)]);
const NUMBER = '+4930123456';

/** What is put stays until its key is removed. A test decides when something happens. */
const createBucket = () => {
  const objects = new Set<string>();
  const pass = async (_key: string): Promise<void> => undefined;
  const before = { put: pass };
  const after = { remove: pass };
  const storage: RecordingStorage = {
    async put(key) {
      await before.put(key);
      objects.add(key);
    },
    open: () => Promise.reject(new Error('Nobody listens here.')),
    async remove(key) {
      objects.delete(key);
      await after.remove(key);
    },
    forgetTeam: async () => undefined,
  };
  return { storage, objects, before, after };
};

const ERASERS = {
  number: (stage: RecordingsStage) => eraseNumber(stage, stage.team.id, COMMAND_LINE, NUMBER),
  async team(stage: RecordingsStage) {
    const { erase } = createCallEraser(stage);
    const team = { teamId: stage.team.id, erasingAt: stage.clock.now(), heirId: '', pace: async () => undefined };
    for (const isSettled of [false, true]) await erase({ ...team, isSettled });
  },
};

onEachEngine('the audio of a recording that is erased while it is being stored', (engine) => {
  const internet = useStage(() =>
    startTestInternet(
      (_request, response) => void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(AUDIO),
    ),
  );
  const bucket = prepare(async () => createBucket());
  const stage = useStage(() => createRecordingsStage(engine, { outbound: internet.outbound, storage: bucket.storage }));

  const addRecording = async () => {
    const { database, vault, newId, clock, team } = stage;
    const accountId = await stage.addAccount();
    const call = { id: newId(), teamId: team.id, accountId, provider: 'stand-in', externalId: `CA-${newId()}` };
    await insertCalls(database, [beginCall(call.id, { ...call, receivedAt: clock.now() })], clock.now());
    const hash = await hashParty(vault, team.id, toParty(NUMBER));
    await database.run('update calls set from_hash = $2 where id = $1', [call.id, hash]);
    const id = await stage.addRecording(accountId, { callKey: call.externalId });
    return { id, key: recordingKey({ teamId: team.id, id }) };
  };

  /** A download that is about to store the audio. */
  const holdDownload = async ({ id, key }: { id: string; key: string }) => {
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    bucket.before.put = async (asked) => {
      if (asked !== key) return;
      bucket.before.put = async () => undefined;
      reached.resolve();
      await released.promise;
    };
    const download = stage.fetch(id);
    await reached.promise;
    return {
      /** It ends as soon as the eraser has removed the audio, and before the eraser deletes the row. */
      endOnRemoval(onLaterRemoval = async (): Promise<void> => undefined): Promise<Error | null> {
        bucket.after.remove = async (asked) => {
          if (asked !== key) return;
          bucket.after.remove = onLaterRemoval;
          released.resolve();
          await download;
        };
        return download;
      },
    };
  };

  const expectNothingLeft = async ({ id, key }: { id: string; key: string }) => {
    assert.equal(await getRecording(stage.database, stage.team.id, id), undefined);
    assert.equal(bucket.objects.has(key), false, 'The audio is left.');
  };

  for (const [what, erase] of Object.entries(ERASERS)) {
    test(`goes with the ${what}`, async () => {
      const recording = await addRecording();
      const download = (await holdDownload(recording)).endOnRemoval();
      await erase(stage);
      assert.equal(await download, null);
      await expectNothingLeft(recording);
    });

    test(`goes with the ${what} if it is stored a second time`, async () => {
      const recording = await addRecording();
      const download = (await holdDownload(recording)).endOnRemoval();
      await stage.fetch(recording.id);
      assert.equal((await stage.rowOf(recording.id)).state, 'archived');
      await erase(stage);
      assert.equal(await download, null);
      await expectNothingLeft(recording);
    });
  }

  test('is removed by the next attempt if the bucket fails at that moment', async () => {
    const recording = await addRecording();
    const download = (await holdDownload(recording)).endOnRemoval(async () => {
      bucket.objects.add(recording.key);
      bucket.after.remove = async () => undefined;
      throw new StorageFailed('The bucket is away.');
    });
    await ERASERS.number(stage);
    assert.equal((await download)?.name, 'StorageFailed', 'So the job is tried again.');
    assert.equal(bucket.objects.has(recording.key), true);
    await stage.fetch(recording.id, 2);
    await expectNothingLeft(recording);
  });
});
