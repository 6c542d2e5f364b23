import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock, createTestLog } from '../../../test/harness/app.ts';
import { type Outbound, Secret } from '../../platform/index.ts';
import type { Client } from '../catalogue/client.ts';
import type { Values } from '../catalogue/placeholders.ts';
import type { FullRecord } from '../catalogue/provider.ts';
import { askProvider } from './ask-provider.ts';

const url = 'https://{host}.vendor.example/token';
const record: FullRecord = {
  id: 'vendor',
  name: 'Vendor',
  scopes: [],
  params: { host: { about: 'The server.', pattern: 'api(-us)?', example: 'api', default: 'api' } },
  defaults: { host: 'api' },
  domains: ['vendor.example'],
  authorize: { url: 'https://vendor.example/authorize' },
  token: { url },
};
const client: Client = { id: 'the-id', secret: new Secret('the-secret'), of: 'operator', params: {}, scopes: null };

/** Makes a request for a connection that has these values. Returns where it was sent, and what came of it. */
const ask = async (values: Values) => {
  const sentTo: string[] = [];
  const request = async (sent: { url: string }) => {
    sentTo.push(sent.url);
    return { status: 200, headers: {}, body: Buffer.from('{}') };
  };
  const context = { outbound: { request } as unknown as Outbound, clock: createTestClock(), log: createTestLog().log };
  const target = { provider: { record, custom: false }, client, values };
  const { failure } = await askProvider(context, target, { url, protocol: {}, namesClient: true });
  return { sentTo, failure: failure?.kind ?? null };
};

test("a connection from before its provider had a param uses the entry's default", async () => {
  assert.deepEqual(await ask({}), { sentTo: ['https://api.vendor.example/token'], failure: null });
});

test('what a person chose takes precedence over the default', async () => {
  assert.deepEqual(await ask({ host: 'api-us' }), { sentTo: ['https://api-us.vendor.example/token'], failure: null });
});
