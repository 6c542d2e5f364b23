import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { makeDirectory } from '../temporary-directory.ts';

export const PROVIDER = 'bench';

const TOKENS = JSON.stringify({ access_token: 'new', refresh_token: 'new', expires_in: 3_600, token_type: 'bearer' });

/** A provider that issues new tokens immediately. Returns the settings for it. */
export const startTokenServer = async (cleanUp: AsyncDisposableStack): Promise<Record<string, string>> => {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json').end(TOKENS);
  }).listen(0, '127.0.0.1');
  cleanUp.defer(() => void server.closeAllConnections());
  cleanUp.defer(() => void server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const record = {
    id: PROVIDER,
    name: 'Bench',
    authorize: { url: `${url}/auth` },
    token: { url: `${url}/token`, auth: 'basic', body: 'form' },
    refresh: { rotates: 'always' },
    scopes: ['read'],
  };
  const file = join(makeDirectory(cleanUp), 'providers.json');
  writeFileSync(file, JSON.stringify([record]));
  const client = `OAUTH_${PROVIDER.toUpperCase()}_CLIENT`;
  return { PATCHBAY_PROVIDERS: file, [`${client}_ID`]: `client-of-${PROVIDER}`, [`${client}_SECRET`]: 'secret' };
};
