import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstBasis } from '../../src/reports/figures/basis.ts';
import { countFigures } from '../../src/reports/figures/count-figures.ts';
import { recountFigures } from '../../src/reports/figures/recount-figures.ts';
import { spanOf } from '../../src/reports/week/week.ts';
import { getTeam } from '../../src/teams/index.ts';
import { insertCalls } from '../../src/telephony/processing/call-batch-store.ts';
import { beginCall } from '../../src/telephony/processing/put-calls.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const WEEK = '2026-W46';
const LISTED = 1_000;
const CALLED = 1_300;

onOneEngine('a week with calls to very many numbers', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  test('is reported by the numbers with the most calls, and the others together', async () => {
    const { app } = stage;
    const made = await stage.newTeam();
    const { account } = made;
    const teamId = made.team.id;
    const team = (await getTeam(app.database, teamId)) ?? assert.fail();
    const { startsAt, endsAt } = spanOf(WEEK, team.timeZone);
    const call = (externalId: string, toHash: string | null) => ({
      ...beginCall(app.newId(), {
        ...{ teamId, accountId: account.id, provider: 'twilio', externalId },
        receivedAt: startsAt + 1_000,
      }),
      ...{ toHash, status: 'ended' as const, outcome: 'missed' as const },
    });
    const calls = Array.from({ length: CALLED }, (_, index) => call(`once-${index}`, `hash-${index}`));
    // The last one is called more often than the others, and one call doesn't say which number it was for.
    calls.push(call('again', `hash-${CALLED - 1}`), call('unknown', null));
    await insertCalls(app.database, calls, startsAt + 2_000);

    const { numbers } = await countFigures(app, firstBasis(team, endsAt), WEEK);
    assert.equal(numbers.length, LISTED + 1);
    assert.deepEqual(
      numbers.slice(0, 2).map(({ hash, calls, missed }) => [hash, calls, missed]),
      [
        [null, CALLED - LISTED + 1, CALLED - LISTED + 1],
        [`hash-${CALLED - 1}`, 2, 2],
      ],
    );
    assert.equal(
      numbers.reduce((sum, { calls }) => sum + calls, 0),
      CALLED + 2,
    );
    assert.deepEqual((await recountFigures(app, firstBasis(team, endsAt), WEEK)).numbers, numbers);
  });
});
