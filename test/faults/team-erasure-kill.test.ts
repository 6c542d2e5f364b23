import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { type Database, type Engine, openDatabase } from '../../src/platform/index.ts';
import { SECRETS } from '../harness/app.ts';
import { createTestStore } from '../harness/databases.ts';
import { SERVICE_URL } from '../harness/oauth-server.ts';
import type { Serving } from '../harness/serve-process.ts';
import { openServeStage } from '../harness/serve-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const OPERATOR = { authorization: `Bearer ${SECRETS.PATCHBAY_OPERATOR_TOKEN}` };
const CALLS = 8_000;
const AT_ONCE = 1_000;
/** Longer than a team stays at least. */
const MINUTE_MS = 60_000;

const CALL = `insert into calls (id, team_id, account_id, provider, external_id, direction, status, evidence, started_at, updated_at)
  select id, team_id, account_id, 'twilio', id, 'inbound', 'ended', '[]', 1, 1 from rows where true`;
const EVENT = `insert into call_events (call_id, event_key, team_id, delivery_id, event, occurred_at)
  select id, 'ended', team_id, 'delivery', '{}', 1 from rows where true`;

const fill = async (database: Database, teamId: string, change: number): Promise<void> => {
  const accountId = randomUUID();
  await database.run(
    `insert into telephony_accounts (id, team_id, provider, secrets, mode, removes_archived, change, created_at, removed_at)
      values ($1, $2, 'twilio', '', 'enforce', 0, $3, 1, $4)`,
    // Not longer ago, because what was removed a week ago is deleted.
    [accountId, teamId, change, Date.now()],
  );
  for (let made = 0; made < CALLS; made += AT_ONCE) {
    const rows = Array.from({ length: AT_ONCE }, () => [randomUUID(), teamId, accountId]);
    const table = { columns: { id: 'text', team_id: 'text', account_id: 'text' }, rows } as const;
    await database.runFrom(table, CALL);
    await database.runFrom(table, EVENT);
  }
};

const count = async (database: Database, table: string, teamId: string): Promise<number> =>
  Number(
    (await database.get<{ n: number }>(`select count(*) as n from ${table} where team_id = $1`, [teamId]))?.n ?? 0,
  );

const openStage = async (engine: Engine, context: TestContext) => {
  const stage = openServeStage(context);
  const store = await createTestStore(engine);
  context.after(store.remove);
  const database = openDatabase(store.settings, () => undefined);
  context.after(() => database.close());
  const env = {
    ...SECRETS,
    DATABASE_URL: store.settings.url?.reveal() ?? '',
    PATCHBAY_DATA: store.settings.dataDirectory,
    PATCHBAY_URL: SERVICE_URL,
  };
  const serve = async (): Promise<Serving> => {
    const serving = await stage.serve(env);
    await serving.ready();
    return serving;
  };
  return { database, serve };
};

const put = async (serving: Serving, key: string): Promise<{ status: number; id: string }> => {
  const headers = { ...OPERATOR, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: key });
  const answer = await serving.fetch(`/api/operator/teams/${key}`, { method: 'PUT', headers, body });
  return { status: answer.status, id: ((await answer.json()) as { id: string }).id };
};

describe('a process killed while it erases a team', { concurrency: 2 }, () => {
  for (const engine of ['sqlite', 'postgresql'] as const)
    test(`leaves the rest to the next one, and other teams alone (${engine})`, async (context) => {
      const { database, serve } = await openStage(engine, context);
      const killed = await serve();
      const gone = await put(killed, 'gone');
      const stays = await put(killed, 'stays');
      await fill(database, gone.id, -1);
      await fill(database, stays.id, -2);
      const answer = await killed.fetch('/api/operator/teams/gone', { method: 'DELETE', headers: OPERATOR });
      assert.equal(answer.status, 202);
      await waitUntil('some of it is erased', async () => (await count(database, 'calls', gone.id)) < CALLS / 2);
      killed.kill('SIGKILL');
      await killed.ended();
      const left = await count(database, 'calls', gone.id);
      assert.ok(left > 0, 'It was killed too late to show anything.');
      context.diagnostic(`${left} of ${CALLS} calls were left`);

      const next = await serve();
      assert.equal((await put(next, 'gone')).status, 409);
      await waitUntil('the rest is erased', async () => (await count(database, 'calls', gone.id)) === 0, MINUTE_MS);
      await database.run('update teams set erasing_at = erasing_at - $2, erase_due_at = 1 where id = $1', [
        gone.id,
        MINUTE_MS,
      ]);
      await waitUntil('the key is free', async () => (await put(next, 'gone')).status === 201, MINUTE_MS);
      assert.equal(await database.get('select id from teams where id = $1', [gone.id]), undefined);
      assert.deepEqual(
        [await count(database, 'calls', stays.id), await count(database, 'call_events', stays.id)],
        [CALLS, CALLS],
      );
    });
});
