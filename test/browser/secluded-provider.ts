import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeProviderFile } from '../harness/provider-file.ts';

const TOKEN = 'token-of-the-secluded';
export const KEY = 'key-of-the-secluded-0123456789';

/** A provider whose pages cut themselves off from whoever opened them, and the same one with a key instead. */
export const startSecludedProvider = async () => {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://provider');
    const json = (body: object): void => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (pathname === '/token') return json({ access_token: TOKEN, token_type: 'Bearer', expires_in: 3600 });
    const isKnown = [TOKEN, KEY].some((one) => request.headers.authorization === `Bearer ${one}`);
    if (pathname === '/me') return isKnown ? json({ id: '7', login: 'hermit' }) : response.writeHead(401).end();
    if (pathname !== '/authorize') return response.writeHead(204).end();
    const back = new URL(searchParams.get('redirect_uri') ?? '');
    back.search = String(new URLSearchParams({ code: 'a-code', state: searchParams.get('state') ?? '' }));
    response
      .writeHead(200, { 'content-type': 'text/html', 'cross-origin-opener-policy': 'same-origin' })
      .end(`<!doctype html><title>Secluded</title><a href="${back.href.replaceAll('&', '&amp;')}">Allow</a>`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const file = writeProviderFile([
    {
      ...{ id: 'secluded', name: 'Secluded', scopes: [], pkce: 'off' },
      authorize: { url: `${url}/authorize` },
      token: { url: `${url}/token`, auth: 'post', body: 'form' },
      identity: { url: `${url}/me`, id: 'id', label: 'login' },
    },
    {
      ...{ id: 'keyed', name: 'Keyed', kind: 'api_key', docs: 'https://keyed.example/docs' },
      fields: { api_key: { label: 'API key', about: 'In the settings.' } },
      identity: { id: 'id', label: 'login' },
      api: { url, verify: { method: 'GET', path: '/me' } },
    },
  ]);
  return {
    env: {
      PATCHBAY_PROVIDERS: file.path,
      OAUTH_SECLUDED_CLIENT_ID: 'patchbay',
      OAUTH_SECLUDED_CLIENT_SECRET: 'secret-4711',
    },
    async stop(): Promise<void> {
      file.remove();
      await new Promise((resolve) => server.close(resolve).closeAllConnections());
    },
  };
};
