import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';

const JS = 'text/javascript; charset=utf-8';

const html = (body: string): string =>
  `<!doctype html><html lang="en"><title>Shipshape</title><main><h1>Shipshape</h1>${body}</main></html>`;

/** Shows what becomes of a promise, so that a test can wait for it. */
const TELL = `
window.told = [];
window.tell = (promise) => promise.then(
  (value) => told.push(value),
  ({ name, code, status, message, requestId }) => told.push({ name, code, status, message, requestId }),
);`;

/**
 * A product whose pages have a strict policy. Its button's page has no script but Patchbay's own; the others have modules
 * of the product.
 */
export const startStrictProduct = async () => {
  let api = '';
  let sessions: readonly object[] = [];
  const requested: string[] = [];
  let held = Promise.resolve();

  const pages: Record<string, (query: URLSearchParams) => string> = {
    '/button': (query) =>
      html(`<script type="module" src="${api}/connect.js"></script>
<patchbay-connect provider="${query.get('show') ?? 'sandbox'}" session-url="/session" label="Connect your account"${query.has('account') ? ` state="connected" account="${query.get('account')}"` : ''}></patchbay-connect>`),
    // An agency's page: the same account, for two customers.
    '/buttons': () =>
      html(`<script type="module" src="${api}/connect.js"></script>
${[0, 1].map((of) => `<patchbay-connect provider="sandbox" session-url="/session?of=${of}" label="Customer ${of}"></patchbay-connect>`).join('')}`),
    // A product that serves a copy of the script.
    '/copied': () =>
      html(`<script type="module" src="/copy.js"></script>
<patchbay-connect provider="sandbox" session-url="/session" label="Connect your account"></patchbay-connect>`),
    '/own': () => html('<script type="module" src="/own.js"></script><button id="go">Connect</button>'),
    '/return': () => html('<script type="module" src="/return.js"></script>'),
    '/client': () => html('<script type="module" src="/client.js"></script>'),
  };
  const scripts: Record<string, () => string | Promise<string>> = {
    '/copy.js': async () => (await fetch(`${api}/connect.js`)).text(),
    '/own.js': () => `import * as patchbay from '${api}/connect.js';${TELL}
window.begin = (options) => (window.connecting = patchbay.connect({ url: '${api}', returnTo: '/return?mine=1', provider: 'sandbox', ...options }));
document.querySelector('#go').addEventListener('click', () => tell(begin(window.options)));
if (new URLSearchParams(location.search).has('session')) tell(begin({ session: await (await fetch('/session', { method: 'POST' })).json() }));
window.ready = true;`,
    '/return.js': () => `import { finish } from '${api}/connect.js';${TELL}
tell(finish());`,
    '/client.js': () => `import { Patchbay } from '/client/index.ts';${TELL}
window.openClient = (token) => new Patchbay({ url: '${api}', token });
window.ready = true;`,
  };

  const server: Server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://product');
    requested.push(`${request.method} ${request.url}`);
    const session = sessions[Number(searchParams.get('of') ?? '0')];
    if (pathname === '/session') await held;
    if (pathname === '/session')
      return response
        .writeHead(session ? 200 : 403, { 'content-type': 'application/json' })
        .end(JSON.stringify(session));
    if (pathname === '/cookie')
      return response.writeHead(204, { 'set-cookie': 'third=party; SameSite=None; Secure' }).end();
    const page = pages[pathname]?.(searchParams);
    const own = pathname.startsWith('/button') ? '' : " 'self'";
    const policy = `default-src 'none'; script-src ${api}/connect.js${own}; connect-src 'self' ${api}; base-uri 'none'; require-trusted-types-for 'script'`;
    if (page)
      return response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy }).end(page);
    const script = await scripts[pathname]?.();
    if (script) return response.writeHead(200, { 'content-type': JS }).end(script);
    const [, module] = /^\/client\/([\w-]+\.ts)$/.exec(pathname) ?? [];
    if (!module) return response.writeHead(204).end();
    const source = readFileSync(new URL(`../../packages/client/src/${module}`, import.meta.url), 'utf8');
    return response.writeHead(200, { 'content-type': JS }).end(stripTypeScriptTypes(source));
  }).listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    /** The same pages, on another site. */
    elsewhere: `http://localhost:${port}`,
    requested,
    embed(address: string): void {
      api = address;
    },
    /** Lets pages wait for their sessions until the returned function is called. */
    holdSessions(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    /** Whose sessions its pages get. */
    signIn(...created: readonly object[]): void {
      sessions = created;
    },
    stop: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
};
