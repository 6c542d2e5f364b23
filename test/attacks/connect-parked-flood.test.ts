import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handlePruneAttempts } from '../../src/integrations/connect/prune-attempts.job.ts';
import { expectConnected, expectParked, expectRefused, startConnectStage, type Team } from '../harness/connect-flow.ts';
import { onEachEngine } from '../harness/databases.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const MOST = 20;

onEachEngine('parking attempts without end', (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  const team = prepare(() => flow.stage.createTeam('acme'));

  const park = async (person: Team['member']) => {
    flow.clock.advance(1);
    const { authorizationUrl } = await flow.begin(person);
    const callback = flow.consent(authorizationUrl);
    return { callback, attempt: expectParked(await flow.arrive(callback)) };
  };

  const countCodes = async (): Promise<number> => {
    const { database } = flow.stage.app;
    return (await database.all('select state_digest from connect_attempts where callback is not null')).length;
  };

  test('keeps the user’s newest attempts, and everyone else’s', async () => {
    const others = await park(team.admin);
    const parked = [];
    for (let count = 0; count < MOST + 5; count++) parked.push(await park(team.member));
    assert.equal(await countCodes(), MOST + 1);
    const [first, oldestKept] = [parked[0], parked[5]];
    assert.ok(first && oldestKept);
    const exchanges = flow.exchanges();
    expectRefused(await flow.complete(team.member, first.attempt), 409, 'integrations.attempt_used');
    expectRefused(await flow.arrive(first.callback), 409, 'integrations.state_used', 'its state works once, as any');
    expectRefused(await flow.arrive(first.callback, team.member.headers), 410, 'integrations.attempt_expired');
    assert.equal(flow.exchanges(), exchanges);
    expectConnected(await flow.complete(team.member, oldestKept.attempt));
    expectConnected(await flow.complete(team.admin, others.attempt));
  });

  test('leaves no codes behind after they expire, and erases them in batches', async () => {
    const { database } = flow.stage.app;
    await park(team.member);
    const now = flow.clock.now();
    for (let count = 0; count < 450; count++)
      await database.run(
        `insert into connect_attempts (state_digest, team_id, user_id, provider, phase, callback, created_at, expires_at)
          values ($1, $2, $3, 'github', 'parked', 'sealed', $4, $4)`,
        [`s${count}`, team.member.user.teamId, team.member.user.id, now],
      );
    const changed: number[] = [];
    const run: typeof database.run = async (...statement) => {
      const rows = await database.run(...statement);
      changed.push(rows);
      return rows;
    };
    flow.clock.advance(10 * 60_000 + 1);
    await handlePruneAttempts({ ...flow.stage.app, database: { ...database, run }, clock: flow.clock })();
    assert.equal(await countCodes(), 0);
    assert.ok(Math.max(...changed) <= 200, `${changed}`);
  });
});
