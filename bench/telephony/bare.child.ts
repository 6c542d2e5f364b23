// The minimum that reads a body and returns the same bytes: `node:http`, with headers and body prepared in advance.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reportToParent } from '../child-server.ts';
import type { Answer } from '../http/answer.ts';
import { ACCOUNT_ID, AUTH_TOKEN, PUBLIC_URL } from './set-up.ts';

const { status, headers, body, keepAliveMs }: Answer = JSON.parse(process.argv[2] ?? '');

const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    response.writeHead(Buffer.concat(chunks).length > 0 ? status : 400, headers);
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  reportToParent({
    url: `http://127.0.0.1:${port}/api/webhooks/telephony/voice?account=bare`,
    headers: {},
    accountId: ACCOUNT_ID,
    authToken: AUTH_TOKEN,
    publicUrl: PUBLIC_URL,
  });
});
