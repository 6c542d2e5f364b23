import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Transaction } from '../../src/platform/index.ts';
import { insertConnectSession } from '../../src/teams/records/connect-session-store.ts';
import { makeCredential } from '../../src/teams/records/credential.ts';
import { handlePruneCredentials } from '../../src/teams/tokens/prune-credentials.job.ts';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { createConnectSession, OPERATOR, putCustomer } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

const HOUR_MS = 3_600_000;
const MOST = 20;
const TOO_MANY = MOST + 5;
/** More than one statement may delete. */
const MANY = 450;
const MOST_PER_STATEMENT = 200;

onEachEngine('a user for whom connect sessions are created without end', (engine) => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp(engine, { clock }));

  const countOf = async (userId: string): Promise<Record<string, number>> => {
    const rows = await house.app.database.all<{ kind: string; n: number }>(
      'select kind, count(*) as n from connect_sessions where user_id = $1 group by kind order by kind',
      [userId],
    );
    return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]));
  };

  /** As if there were no limit. */
  const fill = async (teamId: string, userId: string): Promise<void> => {
    const now = clock.now();
    const session = { teamId, userId, role: 'member', providers: null, returnTo: null, expiresAt: now + 1 } as const;
    await house.app.database.transaction(async (tx) => {
      for (let index = 0; index < MANY; index++)
        await insertConnectSession(tx, 'bearer', makeCredential(house.app.newId), session, now);
    });
  };

  /** How many rows each statement has deleted since. */
  const watchDeletes = ({ mock }: TestContext): number[] => {
    const deleted: number[] = [];
    const { database } = house.app;
    const watch = (run: Transaction['run']): Transaction['run'] => {
      return async (text, values) => {
        const changed = await run(text, values);
        if (/^\s*delete from/.test(text)) deleted.push(changed);
        return changed;
      };
    };
    const transaction = database.transaction.bind(database);
    mock.method(database, 'run', watch(database.run.bind(database)));
    mock.method(database, 'transaction', <Result>(work: (tx: Transaction) => Promise<Result>) =>
      transaction((tx) => work({ ...tx, run: watch(tx.run.bind(tx)) })),
    );
    return deleted;
  };

  const callOperator = async (method: 'DELETE', path: string): Promise<void> => {
    const { statusCode, body } = await house.server.inject({ method, url: `/api/operator${path}`, headers: OPERATOR });
    assert.equal(statusCode, 204, body);
  };

  test('has the newest of them, and nobody else has fewer', async () => {
    await putCustomer(house, 'busy');
    const other = await createConnectSession(house, 'busy', { user: 'other' });
    const made = [];
    for (let count = 0; count < TOO_MANY; count++) {
      made.push(await createConnectSession(house, 'busy'));
      clock.advance(1);
    }
    const statuses = [];
    for (const { headers } of [...made, other])
      statuses.push((await house.server.inject({ url: '/api/integrations/status', headers })).statusCode);
    assert.deepEqual(statuses, [...Array(TOO_MANY - MOST).fill(401), ...Array(MOST + 1).fill(200)]);
    assert.deepEqual(await countOf(made[0]?.user.id), { bearer: MOST, ticket: MOST });
  });

  test('has no more open pages, either', async () => {
    await putCustomer(house, 'pages');
    const { teams } = house.app;
    let userId = '';
    for (let count = 0; count < TOO_MANY; count++) {
      const { page, user } = await createConnectSession(house, 'pages');
      const ticket = new URLSearchParams(page.split('?')[1]).get('ticket') ?? '';
      await teams.connectSessions.redeemTicket(ticket, { ip: '127.0.0.1', id: 'a' } as never);
      userId = user.id;
    }
    assert.deepEqual(await countOf(userId), { bearer: MOST, page: MOST });
  });

  test('loses those that expired an hour ago', async () => {
    await putCustomer(house, 'brief');
    const { user } = await createConnectSession(house, 'brief', { expiresInSeconds: 60 });
    clock.advance(60_000);
    await handlePruneCredentials(house.app)();
    assert.deepEqual(await countOf(user.id), { bearer: 1, ticket: 1 });
    clock.advance(HOUR_MS);
    await handlePruneCredentials(house.app)();
    assert.deepEqual(await countOf(user.id), {});
  });

  const ENDINGS = { ends: '/sessions?user=u1', 'is removed': '/users/u1' } as const;
  for (const [what, path] of Object.entries(ENDINGS))
    test(`lets nobody wait while a user who has very many ${what}`, async (context) => {
      const key = what.replace(' ', '-');
      const { id: teamId } = await putCustomer(house, key);
      const { user } = await createConnectSession(house, key);
      await fill(teamId, user.id);
      const deleted = watchDeletes(context);
      await callOperator('DELETE', `/teams/${key}${path}`);
      assert.deepEqual(await countOf(user.id), {});
      assert.ok(Math.max(...deleted) <= MOST_PER_STATEMENT, `a statement deleted ${Math.max(...deleted)} rows`);
      assert.equal(
        deleted.reduce((sum, rows) => sum + rows, 0),
        MANY + 2,
      );
    });
});
