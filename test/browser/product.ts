import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What a product writes for its own integrations page: begin with the session of the signed-in user, come back, and
 * complete. It shows the outcome as JSON.
 */
const page = (api: string, token: string): string => `<!doctype html>
<title>Shipshape</title>
<label>Connection <input id="connection" value="default"></label>
<button id="connect">Connect the sandbox</button>
<pre id="outcome"></pre>
<script type="module">
const call = async (action, body) => {
  const response = await fetch(${JSON.stringify(`${api}/api/integrations/sandbox/`)} + action, {
    method: 'POST',
    headers: { authorization: 'Bearer ' + ${JSON.stringify(token)}, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
};
document.querySelector('#connect').addEventListener('click', async () => {
  const connection = document.querySelector('#connection').value;
  const { connectUrl } = await call('connect', { connection, returnTo: location.origin + '/' });
  location.assign(connectUrl);
});
const attempt = new URLSearchParams(location.search).get('attempt');
if (attempt) document.querySelector('#outcome').textContent = JSON.stringify(await call('complete', { attempt }));
</script>`;

/** A product on another site, which embeds Patchbay. */
export const startProduct = async () => {
  let html = '';
  const server: Server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(html),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    /** Whose session the page has. */
    signIn(api: string, token: string): void {
      html = page(api, token);
    },
    stop: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
};

export type Product = Awaited<ReturnType<typeof startProduct>>;
