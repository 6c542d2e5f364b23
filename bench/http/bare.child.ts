// The minimum that returns the same bytes: `node:http`, with headers and body prepared in advance.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reportToParent } from '../child-server.ts';
import type { Answer } from './answer.ts';

const { status, headers, body, keepAliveMs }: Answer = JSON.parse(process.argv[2] ?? '');

const server = createServer({ keepAliveTimeout: keepAliveMs }, (_request, response) => {
  response.writeHead(status, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  reportToParent({ url: `http://127.0.0.1:${port}/api/trivial`, headers: {} });
});
