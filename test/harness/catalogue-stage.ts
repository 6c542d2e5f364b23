import assert from 'node:assert/strict';
import { readEntries } from '../../src/integrations/catalogue/catalogue.ts';
import type { KeyRecord } from '../../src/integrations/catalogue/key-record.ts';
import type { FullRecord } from '../../src/integrations/catalogue/provider.ts';
import { createTestApp, createTestClock, type Person } from './app.ts';
import type { ConsentOptions } from './provider-simulator/give-consent.ts';
import { callOfKey } from './provider-simulator/simulated-key.ts';
import type { ProviderOptions } from './provider-simulator/simulated-provider.ts';
import { fillPath } from './provider-simulator/template.ts';
import { startProviderSimulator } from './provider-simulator.ts';

/** Every entry that can be connected through OAuth, alphabetically. */
export const readCatalogue = (): FullRecord[] =>
  readEntries()
    .map(({ record }) => record)
    .filter((record) => 'authorize' in record)
    .filter(({ retired }) => !retired);

/** Every entry that can be connected with a key, alphabetically. */
export const readKeyEntries = (): KeyRecord[] =>
  readEntries()
    .map(({ record }) => record)
    .filter((record) => 'fields' in record)
    .filter(({ retired }) => !retired);

/** Divides entries, in their order, into groups of at most this many. */
export const inGroups = <Entry>(all: readonly Entry[], most: number): Entry[][] =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, index) => all.slice(index * most, (index + 1) * most));

/** How these really respond where the entry doesn't say: such responses must be understood from any provider. */
const QUIRKS: Record<string, ProviderOptions> = {
  bitbucket: { scopeField: 'scopes' },
  clover: { kept: { merchant_id: 'HHA1KCVX9NSK1' } },
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

export const cookiesOf = (setCookie: string | string[] | number | undefined): string =>
  [setCookie ?? []]
    .flat()
    .map((line) => String(line).split(';')[0])
    .join('; ');

/** The whole service, with a simulator of each of these providers. */
export const openCatalogueStage = async (records: readonly FullRecord[], keyRecords: readonly KeyRecord[] = []) => {
  const clock = createTestClock();
  const simulator = await startProviderSimulator({ now: clock.now });
  const added = records.map((record) => simulator.add(record, QUIRKS[record.id]));
  const keys = new Map(keyRecords.map((record) => [record.id, simulator.addKey(record)]));
  const env = Object.assign({ PATCHBAY_RATE_LIMIT: '1000000' }, ...added.map((one) => one.env));
  const stage = await createTestApp('sqlite', {
    env,
    clock,
    outbound: simulator.outbound,
    forwarder: simulator.forwarder,
  });

  const ask = async (person: Person, method: 'GET' | 'POST' | 'PUT', path: string, payload?: object) => {
    const answer = await stage.server.inject({
      method,
      url: `/api/integrations/${path}`,
      headers: person.headers,
      ...(payload && { payload }),
    });
    assert.equal(answer.statusCode, 200, `${method} ${path}: ${answer.body}`);
    return { ...answer, body: answer.json() };
  };

  return {
    ...stage,
    clock,
    simulator,
    /** The keys that work, by provider. */
    keys,
    ask,
    /** Everyone has a host of their own there, so an admin says which one gets the secret. */
    async putOwnClient(record: FullRecord, admin: Person) {
      const { clientId, clientSecret, fields } = added[records.indexOf(record)] ?? {};
      const payload = { clientId, clientSecret, fields, params: paramsFor(record) };
      const { headers } = admin;
      const url = `/api/integrations/${record.id}/credentials`;
      const answer = await stage.server.inject({ method: 'PUT', url, headers, payload });
      assert.ok(answer.statusCode < 300, answer.body);
    },
    /** Starts, consents and returns as a browser does: with the binding cookie, and no credential. */
    async connect(record: FullRecord, person: Person, consent: ConsentOptions = {}) {
      const params = paramsFor(record);
      const begun = await ask(person, 'POST', `${record.id}/connect`, { params });
      assert.equal(begun.body.provider, record.id);
      const given = { askedScopes: record.scopes, params, ...consent };
      const back = new URL(simulator.consent(begun.body.authorizationUrl, given));
      const arrived = await stage.server.inject({
        url: `${back.pathname}${back.search}`,
        headers: { cookie: cookiesOf(begun.headers['set-cookie']), accept: 'application/json' },
      });
      assert.equal(arrived.statusCode, 200, `callback: ${arrived.body}`);
      const { provider, outcome, account } = arrived.json();
      assert.deepEqual({ provider, outcome }, { provider: record.id, outcome: 'connected' });
      if (record.identity)
        assert.deepEqual(account, simulator.issued(record.id).account, 'the account at the callback');
    },
    /** Sends the entry's verification request through the proxy, or else one to where the API is. */
    async verify({ id }: Pick<FullRecord, 'id'>, admin: Person): Promise<number> {
      const key = keys.get(id);
      const { method, path, host, body, headers } = key ? callOfKey(key.record) : simulator.verificationOf(id);
      const answer = await stage.server.inject({
        method,
        url: `/api/integrations/${id}/proxy${fillPath(path, { ...key?.params, ...key?.fields })}`,
        headers: { ...headers, ...admin.headers, ...(host && { 'patchbay-host': host }) },
        ...(body && { payload: body }),
      });
      assert.equal(answer.headers['patchbay-from'], 'provider', answer.body);
      return answer.statusCode;
    },
    /** Sends a request through the proxy that needs the chosen site. Returns its status, and whose response it is. */
    async callSite({ id }: Pick<FullRecord, 'id'>, admin: Person) {
      const { method, path, host } = simulator.siteCallOf(id);
      const answer = await stage.server.inject({
        method,
        url: `/api/integrations/${id}/proxy${path}`,
        headers: { ...admin.headers, ...(host && { 'patchbay-host': host }) },
      });
      return { status: answer.statusCode, from: answer.headers['patchbay-from'], body: answer.body };
    },
    async status({ id }: Pick<FullRecord, 'id'>, person: Person) {
      const { body } = await ask(person, 'GET', 'status');
      const found = body.integrations.find(({ provider }: { provider: string }) => provider === id);
      assert.ok(found, `The status does not list ${id}.`);
      return found;
    },
    async close(): Promise<void> {
      await stage.close();
      await simulator.stop();
    },
  };
};

export type CatalogueStage = Awaited<ReturnType<typeof openCatalogueStage>>;
