import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handlePruneAudit } from '../../src/teams/audit/prune-audit.job.ts';
import { recordAudit, SERVICE } from '../../src/teams/audit/record-audit.ts';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

const DAY_MS = 24 * 3_600_000;
const OLD = 450;
const MOST = 1_000;
const FIRST_OF_A_KIND = 20;

onEachEngine('an audit log that someone keeps filling', (engine) => {
  const clock = createTestClock();
  const house = useStage(() =>
    createTestApp(engine, { clock, env: { PATCHBAY_AUDIT_DAYS: '90', PATCHBAY_MAX_AUDIT_ENTRIES: `${MOST}` } }),
  );

  const fill = (teamId: string | null, action: string, count: number) =>
    house.app.database.transaction(async (tx) => {
      for (let index = 0; index < count; index++) await recordAudit(house.app, tx, teamId, SERVICE, { action });
    });
  const countOf = async (action: string): Promise<number> =>
    Number(
      (
        await house.app.database.get<{ n: number }>('select count(*) as n from audit_events where action = $1', [
          action,
        ])
      )?.n,
    );
  const prune = () => handlePruneAudit({ ...house.app, ...house.config })();

  test('is pruned after the operator’s number of days, in batches, for every team and for entries without one', async () => {
    const { team } = await house.createTeam('acme');
    await fill(team.id, 'old', OLD);
    await fill(null, 'old', 1);
    clock.advance(DAY_MS);
    await fill(team.id, 'young', 1);
    clock.advance(89 * DAY_MS);
    await prune();
    assert.equal(await countOf('old'), OLD + 1, 'Exactly ninety days old is kept.');
    clock.advance(1);
    const statements: number[] = [];
    const run = house.app.database.run.bind(house.app.database);
    house.app.database.run = async (sql, values) => {
      const changed = await run(sql, values);
      statements.push(changed);
      return changed;
    };
    await prune();
    assert.equal(await countOf('old'), 0);
    assert.equal(await countOf('young'), 1);
    assert.ok(statements.length > 2);
    assert.ok(Math.max(...statements) <= 200, 'No statement deletes so much that others wait for it.');
  });

  test('loses repeated entries beyond the operator’s number, oldest first, and only in that team', async () => {
    const [full, other] = [await house.createTeam('full'), await house.createTeam('other')];
    const countIn = async (teamId: string) =>
      Number(
        (
          await house.app.database.get<{ n: number }>('select count(*) as n from audit_events where team_id = $1', [
            teamId,
          ])
        )?.n,
      );
    await fill(full.team.id, 'rare', 1);
    await fill(full.team.id, 'first', OLD);
    await fill(other.team.id, 'first-elsewhere', OLD);
    const elsewhere = await countIn(other.team.id);
    clock.advance(1);
    await fill(full.team.id, 'last', MOST);
    await prune();
    assert.equal(await countIn(full.team.id), MOST);
    assert.equal(await countOf('rare'), 1);
    assert.equal(await countOf('first'), FIRST_OF_A_KIND, 'Some of each kind and day stay.');
    const newest = await house.app.database.get<{ action: string }>(
      'select action from audit_events where team_id = $1 order by id desc limit 1',
      [full.team.id],
    );
    assert.equal(newest?.action, 'last');
    assert.equal(await countIn(other.team.id), elsewhere);
  });

  test('keeps what an insider did before they filled it, and what others did', async () => {
    const { team, admin, member } = await house.createTeam('insider');
    type Person = { user: { id: string } };
    const act = ({ user }: Person, action: string, count: number) =>
      house.app.database.transaction(async (tx) => {
        const actor = { kind: 'user', userId: user.id, address: null, requestId: null } as const;
        for (let index = 0; index < count; index++) await recordAudit(house.app, tx, team.id, actor, { action });
      });
    const countBy = async ({ user }: Person, action: string): Promise<number> =>
      (
        await house.app.database.all(
          'select id from audit_events where team_id = $1 and actor_id = $2 and action = $3',
          [team.id, user.id, action],
        )
      ).length;
    await act(admin, 'token.create', 3);
    await act(admin, 'recording.listen', 2 * FIRST_OF_A_KIND);
    clock.advance(1);
    await act(member, 'recording.listen', 5);
    clock.advance(1);
    await act(admin, 'recording.listen', MOST + 200);
    await prune();
    assert.equal(await countBy(admin, 'token.create'), 3);
    assert.equal(await countBy(member, 'recording.listen'), 5);
    assert.ok((await countBy(admin, 'recording.listen')) < MOST);
  });

  test('loses its oldest entries if none is repeated', async () => {
    const { team } = await house.createTeam('varied');
    await house.app.database.transaction(async (tx) => {
      for (let index = 0; index < MOST + 5; index++) {
        clock.advance(1);
        await recordAudit(house.app, tx, team.id, SERVICE, { action: `varied.${index}` });
      }
    });
    await prune();
    const left = await house.app.database.all<{ action: string }>(
      'select action from audit_events where team_id = $1 order by id',
      [team.id],
    );
    assert.deepEqual([left.length, left[0]?.action], [MOST, 'varied.5']);
  });

  test('loses repeated entries also behind very many that are not', async () => {
    const { team } = await house.createTeam('huge');
    clock.advance(1);
    await house.app.database.run(
      `insert into audit_events (id, team_id, at, actor, action)
        with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)
          select cast($1 as text) || cast(100000000000 + i as text), cast($2 as text), cast($3 as bigint), 'service',
            'huge.' || cast(i as text) from n`,
      [house.app.newId().slice(0, -12), team.id, clock.now()],
    );
    clock.advance(1);
    await fill(team.id, 'again', MOST / 2);
    await prune();
    assert.equal(await countOf('again'), FIRST_OF_A_KIND);
    assert.equal(await countOf('huge.20000'), 1);
  });
});
