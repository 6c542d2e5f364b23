import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type Engine, openDatabase } from '../../src/platform/index.ts';
import { SECRETS } from '../harness/app.ts';
import { createTestStore } from '../harness/databases.ts';
import type { Exchange, Fault } from '../harness/oauth-server/gate.ts';
import { SERVICE_URL, startOauthServer } from '../harness/oauth-server.ts';
import { allRecords, providerSettings, writeProviderFile } from '../harness/provider-file.ts';
import type { Serving } from '../harness/serve-process.ts';
import { openServeStage } from '../harness/serve-stage.ts';
import { askOver, createTeamMember, type TeamMember } from '../harness/team-member.ts';
import { waitUntil } from '../harness/wait-until.ts';

const ADMIN = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` };
/** Requests that a provider may get for one connection after the kill. */
const MOST_REQUESTS = 2;

const openStage = async (engine: Engine, context: TestContext) => {
  const stage = openServeStage(context);
  const oauth = await startOauthServer();
  context.after(() => oauth.stop());
  const store = await createTestStore(engine);
  context.after(store.remove);
  const file = writeProviderFile(allRecords(oauth.issuer));
  context.after(file.remove);
  const env = {
    ...SECRETS,
    ...providerSettings(file.path),
    DATABASE_URL: store.settings.url?.reveal() ?? '',
    PATCHBAY_DATA: store.settings.dataDirectory,
    PATCHBAY_URL: SERVICE_URL,
  };
  const change = async (sql: string): Promise<number> => {
    const database = openDatabase(store.settings, () => undefined);
    const changed = await database.run(sql, [Date.now()]);
    await database.close();
    return changed;
  };
  return {
    oauth,
    async serve(): Promise<{ serving: Serving; at: TeamMember }> {
      const serving = await stage.serve(env);
      await serving.ready();
      return { serving, at: createTeamMember(askOver(serving.url), ADMIN, oauth) };
    },
    /** As if the access tokens of all connections had just expired. */
    expireTokens: () => change('update connections set expires_at = $1, refresh_due_at = $1'),
    /** As if the killed process's leases, which last most of a minute, had expired. Returns how many it had. */
    endLeases: () => change('update connections set lease_until = $1 where lease_until > $1'),
  };
};

type Stage = Awaited<ReturnType<typeof openStage>>;

/** The response's headers give its length: without the last byte it's incomplete, so it can't have been used. */
const sendAllButOne = async ({ forward, response }: Exchange): Promise<Buffer> => {
  const { status, headers, body } = await forward();
  const { 'transfer-encoding': _, ...others } = headers;
  response.writeHead(status, { ...others, 'content-length': String(body.length) });
  await new Promise<void>((resolve) => response.write(body.subarray(0, -1), () => resolve()));
  return body.subarray(-1);
};

/** Kills it when this many responses are waiting to send their last byte. */
const killBeforeLastByte = (serving: Serving, answers: number): Fault => {
  let waiting = 0;
  return async (exchange) => {
    await sendAllButOne(exchange);
    waiting++;
    if (waiting === answers) serving.kill('SIGKILL');
  };
};

const killAfterLastByte =
  (serving: Serving): Fault =>
  async (exchange) => {
    const lastByte = await sendAllButOne(exchange);
    exchange.response.end(lastByte, () => serving.kill('SIGKILL'));
  };

/** Connects, and kills the process while it refreshes the tokens. */
const killInRefresh = async (
  stage: Stage,
  providers: readonly string[],
  makeFault: (serving: Serving) => Fault,
): Promise<void> => {
  const { oauth } = stage;
  const { serving, at } = await stage.serve();
  oauth.fail('refresh', makeFault(serving), providers.length);
  await Promise.all(providers.map((provider) => at.connect(provider, `account-at-${provider}`)));
  assert.equal(await stage.expireTokens(), providers.length);
  await Promise.allSettled(providers.map((provider) => at.token(provider)));
  await serving.ended();
  assert.equal(oauth.count('refresh'), providers.length);
  const answered = oauth.issued.filter(({ kind }) => kind === 'refresh');
  assert.equal(answered.length, providers.length, 'The provider had answered.');
};

/** Requests tokens until each connection has one or needs a reconnect. Returns how each ended. */
const settle = async ({ oauth, serve }: Stage, providers: readonly string[]) => {
  const before = oauth.count('refresh');
  const { serving, at } = await serve();
  const ask = (provider: string) => askOver(serving.url)('POST', `/api/integrations/${provider}/token`, ADMIN);
  const isSettled = async (provider: string): Promise<boolean> => {
    await ask(provider);
    const { status, lastRefreshedAt } = await at.status(provider);
    return status === 'needs_reconnect' || (status === 'connected' && lastRefreshedAt !== null);
  };
  const mostRequests = before + providers.length * MOST_REQUESTS;
  for (const provider of providers)
    await waitUntil(`${provider} has come to rest`, () => {
      assert.ok(oauth.count('refresh') <= mostRequests, 'It is asked again and again.');
      return isSettled(provider);
    });
  const requests = oauth.count('refresh');
  assert.ok(requests <= mostRequests, `${requests - before} requests after the kill`);
  await Promise.all(Array.from({ length: 10 }, () => Promise.all(providers.map(ask))));
  assert.equal(oauth.count('refresh'), requests, 'Nothing begins anew.');
  return at;
};

describe('a process killed during the response to its refresh', { concurrency: 4 }, () => {
  for (const engine of ['sqlite', 'postgresql'] as const) {
    test(`before the last byte: a reconnect for single-use tokens, a new token for others (${engine})`, async (context) => {
      const stage = await openStage(engine, context);
      const { oauth } = stage;
      oauth.rules.hasGrace = (account) => account === 'account-at-acme-grace';
      const providers = ['acme-grace', 'acme-full'];
      await killInRefresh(stage, providers, (serving) => killBeforeLastByte(serving, providers.length));
      assert.equal(await stage.endLeases(), providers.length, 'The killed process had the leases.');
      const at = await settle(stage, providers);
      assert.equal((await at.status('acme-grace')).status, 'connected');
      assert.equal(await oauth.whoIs(await at.token('acme-grace')), 'account-at-acme-grace');
      const { status, reason } = await at.status('acme-full');
      assert.deepEqual([status, reason], ['needs_reconnect', 'revoked_or_expired']);
    });

    test(`right after the last byte: a stored token, or a reconnect once the lease has expired (${engine})`, async (context) => {
      const stage = await openStage(engine, context);
      await killInRefresh(stage, ['acme'], killAfterLastByte);
      context.diagnostic(`${await stage.endLeases()} leases left by the kill`);
      const at = await settle(stage, ['acme']);
      const { status, account } = await at.status('acme');
      assert.equal(account?.id, 'account-at-acme');
      if (status === 'connected') assert.equal(await stage.oauth.whoIs(await at.token('acme')), 'account-at-acme');
      else assert.equal((await at.refusedToken('acme', 409)).code, 'integrations.needs_reconnect');
      await at.connect('acme', 'account-at-acme');
      assert.equal((await at.status('acme')).status, 'connected', 'A reconnect mends it.');
    });
  }
});
