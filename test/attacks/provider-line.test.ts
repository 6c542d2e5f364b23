// Attack: one provider stops responding while many teams' connections to it are due. Others' must not wait for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeConnection } from '../../bench/integrations/make-connection.ts';
import type { Connection, ConnectionKey } from '../../src/integrations/connections/connection.ts';
import { insertConnection } from '../../src/integrations/connections/connection-store.ts';
import { sealTokens } from '../../src/integrations/connections/connection-tokens.ts';
import { sealKey } from '../../src/integrations/keys/connection-key.ts';
import { MOST_PER_RUN } from '../../src/integrations/verification/verify-due.job.ts';
import { type Outbound, Secret } from '../../src/platform/index.ts';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** More than a page of them: as many of each team as are looked at together. */
const TEAMS = 40;
const PER_TEAM = 6;

/** Hosts that don't respond until they're told to. */
const createPartialInternet = (isSilent: (host: string) => boolean) => {
  const asked = { silent: 0, others: 0 };
  let released = Promise.withResolvers<void>();
  const outbound: Outbound = {
    async request({ url }) {
      const silent = isSilent(new URL(url).hostname);
      asked[silent ? 'silent' : 'others']++;
      if (silent) await released.promise;
      const answer = { access_token: 'new', expires_in: 3_600 };
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) };
    },
    open: () => Promise.reject(new Error('nobody asks for that')),
  };
  return {
    ...{ outbound, asked },
    fallSilent(): void {
      [asked.silent, asked.others, released] = [0, 0, Promise.withResolvers<void>()];
    },
    release: (): void => released.resolve(),
  };
};

const clientOf = (provider: string) => ({
  [`OAUTH_${provider}_CLIENT_ID`]: `client-of-${provider.toLowerCase()}`,
  [`OAUTH_${provider}_CLIENT_SECRET`]: 'secret',
});

onOneEngine('a provider that stops responding while hundreds of its connections are due', (engine) => {
  const internet = createPartialInternet((host) => /google|brevo/.test(host));
  const env = { ...clientOf('GOOGLE'), ...clientOf('DROPBOX') };
  const stage = useStage(() => createTestApp(engine, { env, outbound: internet.outbound }));

  const makeToken = async (key: ConnectionKey, refreshDueAt: number): Promise<Partial<Connection>> => {
    const secrets = { accessToken: new Secret('old'), refreshToken: new Secret('refresh-token') };
    return { refreshDueAt, ...(await sealTokens(stage.app.vault, key, secrets)) };
  };

  const makeKey = async (key: ConnectionKey, verifyDueAt: number): Promise<Partial<Connection>> => {
    const accessToken = await sealKey(stage.app.vault, key, { api_key: 'key' });
    return { verifyDueAt, accessToken, refreshToken: null, refreshDueAt: null, expiresAt: null };
  };

  for (const { what, make, silent, other, runs, run } of [
    {
      ...{ what: 'a refresh', make: makeToken, silent: 'google', other: 'dropbox', runs: 1 },
      run: () => stage.app.integrations.refreshDue(),
    },
    {
      ...{ what: 'a verification', make: makeKey, silent: 'brevo', other: 'openai' },
      runs: Math.ceil((TEAMS * PER_TEAM) / MOST_PER_RUN),
      run: () => stage.app.integrations.verifyDue(),
    },
  ])
    test(`does not delay ${what} at another provider`, async () => {
      const { app } = stage;
      const add = async (provider: string, label: string, count: number, sinceMs: number): Promise<void> => {
        const { team, admin } = await stage.createTeam(label);
        const model = await makeConnection(app, { teamId: team.id, userId: admin.user.id }, provider);
        for (let made = 0; made < count; made++) {
          const key = { teamId: team.id, provider, name: `name-${made}` };
          const changes = await make(key, app.clock.now() - sinceMs);
          await insertConnection(app.database, { ...model, ...key, ...changes, id: app.newId() });
        }
      };
      for (let index = 0; index < TEAMS; index++) await add(silent, `${silent}-${index}`, PER_TEAM, 60_000);
      await add(other, other, 1, 1_000);
      internet.fallSilent();
      const running = run();
      await waitUntil('the other provider is asked', () => internet.asked.others > 0);
      assert.ok(internet.asked.silent <= 3, `${internet.asked.silent} at once`);
      internet.release();
      await running;
      for (let done = 1; done < runs; done++) await run();
      assert.equal(internet.asked.silent, TEAMS * PER_TEAM, 'Once it responds, all of them have their turn.');
    });
});
