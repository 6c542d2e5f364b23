import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeProviderFile } from '../harness/provider-file.ts';

/** A provider whose pages cut themselves off from whoever opened them. */
export const startSecludedProvider = async () => {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://provider');
    const json = (body: object): void => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (pathname === '/token')
      return json({ access_token: 'token-of-the-secluded', token_type: 'Bearer', expires_in: 3600 });
    if (pathname === '/me') return json({ id: '7', login: 'hermit' });
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
