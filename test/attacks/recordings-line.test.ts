import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Jobs } from '../../src/jobs/index.ts';
import { queueFetch } from '../../src/telephony/recordings/fetch-recording.job.ts';
import { onEachEngine } from '../harness/databases.ts';
import { createRecordingsStage } from '../harness/recordings-stage.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('a team with very many recordings to fetch', (engine) => {
  const stage = useStage(() => createRecordingsStage(engine));

  /** Queues one more recording for the team. Returns how many it is behind. */
  const queueOne = async (teamId: string, accountId: string): Promise<number> => {
    const id = await stage.addRecording(accountId, {}, teamId);
    const places: number[] = [];
    const enqueue: Jobs['enqueue'] = async (_tx, _definition, _payload, { behind = 0 } = {}) => {
      places.push(behind);
      return 'queued';
    };
    await stage.database.transaction((tx) => queueFetch({ jobs: { enqueue } }, tx, [{ teamId, id }], () => ({})));
    return places[0] ?? assert.fail('Nothing was queued.');
  };

  test('delays only itself: another team goes ahead of all but its first', async () => {
    const [greedy, other] = [stage.team.id, stage.other.id];
    const account = await stage.addAccount();
    const places: number[] = [];
    for (let count = 0; count < 20; count++) places.push(await queueOne(greedy, account));
    const otherAccount = await stage.addAccount(undefined, { teamId: other });
    const place = await queueOne(other, otherAccount);
    assert.equal(places.filter((one) => one <= place).length, 1);
    assert.deepEqual(
      places,
      places.toSorted((left, right) => left - right),
    );
  });
});
