import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Revocation } from '../../src/integrations/connections/revocation-store.ts';
import { putRevocation } from '../../src/integrations/connections/revoke-grant.job.ts';
import type { Jobs } from '../../src/jobs/index.ts';
import { createTestApp } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

const REVOCATION: Omit<Revocation, 'id' | 'teamId'> = {
  provider: 'github',
  tokenKind: 'access',
  token: 'sealed',
  accessToken: null,
  accessExpiresAt: null,
  answeredAt: null,
  details: {},
  clientId: 'c',
  clientOf: 'operator',
  authority: 'github.com',
  accountId: null,
  installationId: null,
  accountFrom: null,
  createdAt: 0,
  expiresAt: 1,
};

const CONNECTION = { id: 'gone', connectedAt: 0 };

onEachEngine('a team with very many grants to revoke', (engine) => {
  const stage = useStage(() => createTestApp(engine));
  let made = 0;

  /** Queues one more revocation for the team. Returns how many it is behind. */
  const queueOne = async (teamId: string): Promise<number> => {
    const places: number[] = [];
    const enqueue: Jobs['enqueue'] = async (_tx, _definition, _payload, { behind = 0 } = {}) => {
      places.push(behind);
      return 'queued';
    };
    const jobs = { ...stage.app.jobs, enqueue };
    const revocation = { ...REVOCATION, id: `revocation-${made++}`, teamId };
    await stage.app.database.transaction((tx) =>
      putRevocation({ jobs }, tx, CONNECTION, revocation, { firstTry: 'job' }),
    );
    return places[0] ?? assert.fail('Nothing was queued.');
  };

  test('delays only itself: another team goes ahead of all but its first', async () => {
    const { team: greedy } = await stage.createTeam('greedy');
    const { team: other } = await stage.createTeam('other');
    const places: number[] = [];
    for (let count = 0; count < 20; count++) places.push(await queueOne(greedy.id));
    assert.deepEqual(
      places,
      places.map((_, index) => index),
    );
    assert.equal(await queueOne(other.id), 0);
  });
});
