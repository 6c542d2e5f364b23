import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import type { FullRecord } from '../../src/integrations/provider.ts';
import { createTestApp, createTestClock, type Person, type TestApp } from '../harness/app.ts';
import type { ProviderOptions } from '../harness/provider-simulator/simulated-provider.ts';
import { type ProviderSimulator, startProviderSimulator } from '../harness/provider-simulator.ts';

const CATALOGUE = new URL('../../src/integrations/catalogue/', import.meta.url);

const records = readdirSync(CATALOGUE)
  .filter((file) => file.endsWith('.json') && file !== 'left-out.json')
  .sort()
  .map((file): FullRecord => JSON.parse(readFileSync(new URL(file, CATALOGUE), 'utf8')))
  .filter(({ retired }) => !retired);

/** How these really answer, where that is no matter of the entry: it must be understood from anybody. */
const QUIRKS: Record<string, ProviderOptions> = {
  bitbucket: { scopeField: 'scopes' },
  box: { expiresInAs: 'string' },
  facebook: { scopesAs: 'absent' },
  front: { expiresAtAs: 'seconds' },
  github: { scopesAs: 'comma', numericAccountId: true, errorStatus: 200 },
  gitlab: { numericAccountId: true },
  linkedin: { tokenType: null },
  microsoft: { expiresInAs: 'string' },
  sentry: { status: 201, expiresAtAs: 'iso' },
  shopify: { tokenType: null, numericAccountId: true },
  slack: { tokenType: 'bot' },
  square: { expiresAtAs: 'iso' },
  strava: { expiresAtAs: 'seconds', numericAccountId: true },
  twitch: { scopesAs: 'array' },
  zendesk: { numericAccountId: true },
};

/** The connect request must name what has no default. */
const paramsFor = ({ params = {} }: FullRecord): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params)
      .filter(([, param]) => param.default === undefined)
      .map(([name, param]) => [name, param.example]),
  );

const cookiesOf = (setCookie: string | string[] | number | undefined): string =>
  [setCookie ?? []]
    .flat()
    .map((line) => String(line).split(';')[0])
    .join('; ');

/** Providers that are told whose grant to end, and not by a token. */
const namesNoToken = ({ revoke }: FullRecord): boolean =>
  revoke?.param === '' && !/\{(?:access_token|refresh_token|token)\}/.test(JSON.stringify(revoke));

describe('every provider of the catalogue', () => {
  const clock = createTestClock();
  const counts = { connected: 0, refreshed: 0, revoked: 0 };
  let simulator: ProviderSimulator;
  let stage: TestApp;

  before(async () => {
    simulator = await startProviderSimulator({ now: clock.now });
    const added = records.map((record) => simulator.add(record, QUIRKS[record.id]));
    const env = Object.assign({ PATCHBAY_RATE_LIMIT: '1000000' }, ...added.map((one) => one.env));
    stage = await createTestApp('sqlite', { env, clock, outbound: simulator.outbound });
  });

  after(async () => {
    await stage?.close();
    await simulator?.stop();
  });

  const ask = async (person: Person, method: 'GET' | 'POST', path: string, payload?: object) => {
    const answer = await stage.server.inject({
      method,
      url: `/api/integrations/${path}`,
      headers: person.headers,
      ...(payload && { payload }),
    });
    assert.equal(answer.statusCode, 200, `${method} ${path}: ${answer.body}`);
    return { ...answer, body: answer.json() };
  };

  /** Asks, consents and comes back as a browser does: with the binding cookie, and no credential. */
  const connect = async (record: FullRecord, person: Person) => {
    const params = paramsFor(record);
    const begun = await ask(person, 'POST', `${record.id}/connect`, { params });
    assert.equal(begun.body.provider, record.id);
    const back = new URL(simulator.consent(begun.body.authorizationUrl, { askedScopes: record.scopes, params }));
    const arrived = await stage.server.inject({
      url: `${back.pathname}${back.search}`,
      headers: { cookie: cookiesOf(begun.headers['set-cookie']), accept: 'application/json' },
    });
    assert.equal(arrived.statusCode, 200, `callback: ${arrived.body}`);
    const { provider, outcome, account } = arrived.json();
    assert.deepEqual({ provider, outcome }, { provider: record.id, outcome: 'connected' });
    if (record.identity) assert.deepEqual(account, simulator.issued(record.id).account, 'the account at the callback');
    counts.connected++;
  };

  const readStatus = async ({ id }: FullRecord, person: Person) => {
    const { body } = await ask(person, 'GET', 'status');
    const found = body.integrations.find(({ provider }: { provider: string }) => provider === id);
    assert.ok(found, `The status does not list ${id}.`);
    return found;
  };

  const expectConnected = async (record: FullRecord, person: Person) => {
    const { status, account, scopes, missingScopes } = await readStatus(record, person);
    const issued = simulator.issued(record.id);
    assert.equal(status, 'connected');
    if (record.identity) assert.deepEqual(account, issued.account, 'the account in the status');
    assert.deepEqual([...scopes].sort(), [...issued.scopes].sort(), 'the scopes in the status');
    assert.deepEqual(missingScopes, []);
  };

  /** A token that is prolonged by itself must still work then; every other may have expired. */
  const passTime = ({ id, refresh }: FullRecord): void => {
    const { expiresAt } = simulator.issued(id);
    assert.ok(expiresAt, 'There is a refresh, so the token expires.');
    clock.advance(expiresAt - clock.now() + (refresh?.with === 'access_token' ? -20_000 : 1_000));
  };

  const expectToken = async (record: FullRecord, admin: Person, refreshes: 0 | 1) => {
    const old = simulator.issued(record.id).accessToken;
    const { body } = await ask(admin, 'POST', `${record.id}/token`);
    const { accessToken, expiresAt } = simulator.issued(record.id);
    assert.equal(body.accessToken, accessToken, 'the token that was handed out is the one issued last');
    assert.equal(body.expiresAt, expiresAt === null ? null : new Date(expiresAt).toISOString());
    assert.equal(accessToken === old, refreshes === 0);
    assert.equal(simulator.requestsOf(record.id, 'refresh').length, refreshes, 'refresh requests');
    counts.refreshed += refreshes;
  };

  const disconnect = async (record: FullRecord, person: Person) => {
    const { accessToken, refreshToken } = simulator.issued(record.id);
    const { body } = await ask(person, 'POST', `${record.id}/disconnect`);
    const revocation = record.revoke ? 'revoked' : 'unsupported';
    assert.deepEqual(body, { provider: record.id, status: 'disconnected', revocation });
    const revocations = simulator.requestsOf(record.id, 'revoke');
    assert.equal(revocations.length, record.revoke ? 1 : 0, 'revocation requests');
    const [seen] = revocations;
    if (!seen || !record.revoke) return;
    counts.revoked++;
    if (namesNoToken(record)) return;
    if (record.revoke.token !== 'access' && refreshToken) assert.equal(seen.refreshToken, refreshToken);
    else assert.equal(seen.accessToken, accessToken);
  };

  const live = async (record: FullRecord): Promise<void> => {
    const { admin, member } = await stage.createTeam(`team-${record.id}`);
    await connect(record, member);
    await expectConnected(record, member);
    await expectToken(record, admin, 0);
    if (record.refresh) {
      passTime(record);
      await expectToken(record, admin, 1);
      await expectConnected(record, member);
    }
    await disconnect(record, member);
    assert.equal((await readStatus(record, member)).status, 'disconnected');
    const refused = simulator.requests.filter(({ provider, reasons }) => provider === record.id && reasons.length > 0);
    assert.deepEqual(refused, []);
    assert.deepEqual(simulator.strays, []);
  };

  /** What the provider saw and what we logged: a failure of one of many must tell its story by itself. */
  const explain = (id: string, error: unknown): Error => {
    const logged = stage.lines.filter(({ level }) => level === 'warn' || level === 'error').slice(-5);
    const story = [`The simulator about ${id}:`, simulator.explain(id), 'Logged last:', inspect(logged, { depth: 5 })];
    return new Error(`${error instanceof Error ? error.message : error}\n${story.join('\n')}`, { cause: error });
  };

  for (const record of records)
    test(`${record.name} is connected, kept fresh and disconnected`, async () => {
      try {
        await live(record);
      } catch (error) {
        throw explain(record.id, error);
      } finally {
        simulator.strays.length = 0;
      }
    });

  test('all of them were', (context) => {
    const { connected, refreshed, revoked } = counts;
    context.diagnostic(`${connected} entries connected, ${refreshed} refreshed, ${revoked} revoked`);
    assert.deepEqual(counts, {
      connected: records.length,
      refreshed: records.filter(({ refresh }) => refresh).length,
      revoked: records.filter(({ revoke }) => revoke).length,
    });
  });
});
