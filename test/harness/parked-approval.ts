import assert from 'node:assert/strict';
import type { Server } from '../../src/http/index.ts';
import type { Forwarder } from '../../src/platform/index.ts';
import { readKeyEntries } from './catalogue-stage.ts';
import { createKey } from './provider-simulator/simulated-key.ts';
import { makeToken } from './restricted-token.ts';

/** An entry with a key. Tests that park requests to its provider add it to their simulator. */
export const keyEntry = readKeyEntries().find(({ id }) => id === 'brevo') ?? assert.fail('There is no such entry.');

/** An API that accepts everything. */
export const AGREEABLE: Forwarder = {
  forward: async () => ({
    ...{ status: 200, headers: [['content-type', 'text/plain']], body: Buffer.from('ok') },
    count: () => 2,
  }),
  close: async () => undefined,
};

/** Connects a team's key, and has a restricted token of its admin's ask to send a request with it. */
export const parkRequest = async (server: Server, headers: Record<string, string>) => {
  const base = `/api/integrations/${keyEntry.id}`;
  const { fields } = createKey(keyEntry);
  const put = await server.inject({ method: 'PUT', url: `${base}/key`, headers, payload: { fields } });
  assert.equal(put.statusCode, 200, put.body);
  const allow = [{ provider: keyEntry.id, connection: 'default' }];
  const token = await makeToken(server, headers, { allow, writes: 'ask' });
  const asked = await server.inject({ method: 'POST', url: `${base}/proxy/contacts`, headers: token, payload: {} });
  assert.equal(asked.statusCode, 409, asked.body);
  return { id: asked.json<{ approval: { id: string } }>().approval.id, token };
};
