import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestApp, type TestApp } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

/** Far more than any pool has connections. */
const AT_ONCE = 150;
const SLOW = `with recursive counter (n) as (select 1 union all select n + 1 from counter where n < 40000)
  select count(*) as n from counter`;

type Team = Awaited<ReturnType<TestApp['createTeam']>>;

onEachEngine('a team with very many requests at once', (engine) => {
  // Every read of an integration's status costs a slow statement, like a large team's lists.
  const stage = useStage(() => createTestApp(engine, { env: { PATCHBAY_RATE_LIMIT: '1000000' } }));
  const greedy = prepare(() => stage.createTeam('greedy'));
  const other = prepare(() => stage.createTeam('other'));

  before(async () => {
    const { database } = stage.app;
    const { get, transaction } = database;
    Object.assign(database, {
      get: async (...asked: Parameters<typeof get>) => {
        if (/from teams/.test(asked[0])) await get(SLOW);
        return get(...asked);
      },
      transaction: (work: Parameters<typeof transaction>[0]) =>
        transaction(async (tx) => {
          await tx.get(SLOW);
          return work(tx);
        }),
    });
  });

  /** How many of the greedy team's requests got a response before the other team's one. */
  const countBefore = async (ask: (team: Team, index: number) => Promise<{ statusCode: number }>): Promise<number> => {
    let answered = 0;
    let before = -1;
    const flood = Array.from({ length: AT_ONCE }, async (_, index) => {
      await ask(greedy, index);
      answered++;
    });
    const { statusCode } = await ask(other, AT_ONCE);
    before = answered;
    await Promise.all(flood);
    assert.ok(statusCode < 300, String(statusCode));
    assert.equal(answered, AT_ONCE);
    return before;
  };

  test('reads in its own lane: another team does not wait until it is done', async () => {
    const before = await countBefore(({ member }) =>
      stage.server.inject({ url: '/api/team', headers: member.headers }),
    );
    assert.ok(before < AT_ONCE / 3, `${before} of ${AT_ONCE} came first`);
  });

  test('writes in its own lane: another team does not wait until it is done', async () => {
    const before = await countBefore(({ admin }, index) =>
      stage.server.inject({
        method: 'PATCH',
        url: '/api/team',
        headers: admin.headers,
        payload: { name: `name ${index}` },
      }),
    );
    assert.ok(before < AT_ONCE / 3, `${before} of ${AT_ONCE} came first`);
  });
});
