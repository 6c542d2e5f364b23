import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeConnection } from '../../bench/integrations/make-connection.ts';
import { insertConnection } from '../../src/integrations/connections/connection-store.ts';
import { sealTokens } from '../../src/integrations/connections/connection-tokens.ts';
import { type Outbound, Secret } from '../../src/platform/index.ts';
import { createTestApp } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const PROVIDER = 'google';
/** More than the job looks at together. */
const MANY = 450;

/** A provider that doesn't answer one team until it's told to. */
const createPartialProvider = () => {
  const released = Promise.withResolvers<void>();
  const asked = { greedy: 0, other: 0 };
  const outbound: Outbound = {
    async request({ body = '' }) {
      const isGreedy = String(body).includes('greedy');
      asked[isGreedy ? 'greedy' : 'other']++;
      if (isGreedy) await released.promise;
      const answer = { access_token: 'new', expires_in: 3_600 };
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) };
    },
    open: () => Promise.reject(new Error('nobody asks for that')),
  };
  return { outbound, asked, release: released.resolve };
};

onEachEngine('a team with very many connections that are slow to refresh', (engine) => {
  const provider = createPartialProvider();
  const env = { OAUTH_GOOGLE_CLIENT_ID: 'client-of-google', OAUTH_GOOGLE_CLIENT_SECRET: 'secret-of-google' };
  const stage = useStage(() => createTestApp(engine, { env, outbound: provider.outbound }));

  /** Due since this long ago. */
  const addDue = async (owner: 'greedy' | 'other', count: number, sinceMs: number) => {
    const { app } = stage;
    const { team, admin } = await stage.createTeam(owner);
    const model = await makeConnection(app, { teamId: team.id, userId: admin.user.id }, PROVIDER);
    const refreshDueAt = app.clock.now() - sinceMs;
    for (let made = 0; made < count; made++) {
      const key = { teamId: team.id, provider: PROVIDER, name: `name-${made}` };
      const refreshToken = new Secret(`refresh-token-${owner}`);
      const tokens = await sealTokens(app.vault, key, { accessToken: new Secret('old'), refreshToken });
      await insertConnection(app.database, { ...model, ...key, ...tokens, id: app.newId(), refreshDueAt });
    }
    return team.id;
  };

  const countRefreshed = async (teamId: string): Promise<number> =>
    (await stage.app.database.all('select id from connections where team_id = $1 and generation > 1', [teamId])).length;

  test("don't keep another team's connection from being refreshed", async () => {
    const greedy = await addDue('greedy', MANY, 60_000);
    const other = await addDue('other', 1, 1_000);
    const run = stage.app.integrations.refreshDue();
    await waitUntil('the other team is served', async () => (await countRefreshed(other)) === 1);
    assert.ok(provider.asked.greedy <= 2, `${provider.asked.greedy} of its requests were sent`);
    assert.equal(await countRefreshed(greedy), 0);
    provider.release();
    await run;
    assert.equal(await countRefreshed(greedy), MANY, 'Once they answer, all of them are refreshed.');
  });
});
