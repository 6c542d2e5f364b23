import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import type { Engine } from '../../src/platform/index.ts';
import { makeCanary } from './canaries.ts';
import { openIntegrationsStage } from './integrations-stage.ts';
import { allRecords } from './provider-file.ts';
import { startApi } from './proxy-stage.ts';

/** Where a product's own pages are. */
export const PRODUCT = 'https://product.example';

const secret = { label: 'API key', about: 'In the settings.' };

/** A provider for each way in which a key travels. */
export const keyRecords = (url: string) => {
  const common = { docs: 'https://keyed.example/docs', identity: { id: 'id', label: 'email' } };
  const api = { url: `${url}/v1`, verify: { method: 'GET', path: '/me?full=1' } };
  const one = { ...common, kind: 'api_key', fields: { api_key: { ...secret, maxLength: 200 } } };
  return [
    { ...one, id: 'keyed', name: 'Keyed', api: { ...api, credential: { header: 'X-Key', format: '{api_key}' } } },
    { ...one, id: 'keyed-bearer', name: 'Bearer', api },
    { ...one, id: 'keyed-query', name: 'Query', api: { ...api, credential: { query: 'api_key' } } },
    {
      ...common,
      ...{ id: 'keyed-basic', name: 'Basic', kind: 'basic', api },
      fields: { username: { ...secret, label: 'User', secret: false }, password: secret },
    },
    {
      ...one,
      ...{ id: 'keyed-site', name: 'Site', domains: ['127.0.0.1'] },
      params: { site: { about: 'The site.', pattern: '[a-z0-9]+', example: 'north' } },
      api: { ...api, url: `${url}/{site}` },
    },
    {
      ...one,
      ...{ id: 'keyed-version', name: 'Version', domains: ['127.0.0.1'] },
      params: { version: { about: 'The version.', pattern: 'v[0-9]', example: 'v1', default: 'v1' } },
      api: { ...api, url: `${url}/{version}` },
    },
    {
      ...common,
      ...{ id: 'keyed-account', name: 'Account', kind: 'basic', api: { ...api, url: `${url}/accounts/{username}` } },
      fields: { username: { ...secret, label: 'Account', secret: false }, password: secret },
    },
    {
      ...one,
      ...{ id: 'keyed-strict', name: 'Strict' },
      api: {
        ...api,
        verify: { ...api.verify, headers: { 'X-Plain': 'yes' }, status: 200, has: ['id'], lacks: ['error'] },
      },
    },
    // As docs/providers.md says how to take one out for everyone.
    { id: 'brevo', extends: true, retired: { since: '2026-11-17', reason: 'Not offered here.' } },
    { ...one, id: 'keyed-blind', name: 'Blind', identity: null, api: { url: `${url}/v1` } },
  ];
};

/** The credential that a request carries, wherever it is. */
const credentialOf = ({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): string => {
  const { authorization = '' } = headers;
  const [, pair] = /^Basic (.*)$/.exec(authorization) ?? [];
  if (pair !== undefined) return Buffer.from(pair, 'base64').toString();
  const inHeader = headers['x-key'] ?? /^Bearer (.*)$/.exec(authorization)?.[1];
  return String(inHeader ?? new URL(url, 'http://a.example').searchParams.get('api_key') ?? '');
};

/** The whole service, and an API that takes keys. */
export const openKeysStage = async (engine: Engine, others: { id: string }[] = []) => {
  const api = await startApi();
  const stage = await openIntegrationsStage(engine, {
    records: (issuer) => [...allRecords(issuer), ...keyRecords(api.url), ...others],
    env: { PATCHBAY_RETURN_ORIGINS: PRODUCT, PATCHBAY_BRAND_NAME: 'Northwind' },
  });
  /** Keys that work, and whose they are. */
  const accounts = new Map<string, string>();

  const serve = (): void =>
    api.answer(async (incoming, response) => {
      await api.note(incoming);
      const account = accounts.get(credentialOf(incoming));
      response.setHeader('content-type', 'application/json').statusCode = account === undefined ? 401 : 200;
      response.end(
        JSON.stringify(account === undefined ? { error: 'no' } : { id: account, email: `${account}@a.example` }),
      );
    });
  serve();

  return {
    ...stage,
    api,
    /** From now on, the API works again. */
    mend(): void {
      api.reset();
      serve();
    },
    /** A key that works. */
    newKey(account = stage.newAccount()): string {
      const key = makeCanary();
      accounts.set(key, account);
      return key;
    },
    /** User name and password that work. */
    newPair(username: string): { username: string; password: string } {
      const password = makeCanary();
      accounts.set(`${username}:${password}`, username);
      return { username, password };
    },
    /** The provider no longer accepts it. */
    endKey: (key: string): void => void accounts.delete(key),
    /** How often the API has been asked to verify a key. */
    verifications: (): number => api.received.filter(({ url }) => url.includes('/me?full=1')).length,
    put: (headers: Readonly<Record<string, string>>, provider: string, body: object) =>
      stage.ask('PUT', `/api/integrations/${provider}/key`, headers, body),
    /** Connects, or fails. */
    async connectKey(headers: Readonly<Record<string, string>>, provider: string, body: object): Promise<void> {
      const reply = await stage.ask('PUT', `/api/integrations/${provider}/key`, headers, body);
      assert.equal(reply.status, 200, reply.body);
    },
    /** Every row of the team's audit log, as text. */
    auditOf: async (headers: Readonly<Record<string, string>>): Promise<string> =>
      (await stage.ask('GET', '/api/audit?limit=100', headers)).body,
    async close(): Promise<void> {
      await stage.close();
      await api.stop();
    },
  };
};

export type KeysStage = Awaited<ReturnType<typeof openKeysStage>>;
