// A provider that always sends the same response, with a token and the account that the token belongs to.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reportToParent } from '../child-server.ts';

const BODY = JSON.stringify({ access_token: 'token', token_type: 'bearer', expires_in: 3_600, id: 1, login: 'octo' });

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json' }).end(BODY);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  reportToParent({ url: `http://localhost:${port}`, headers: {} });
});
