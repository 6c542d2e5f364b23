// The simplest possible proxy: it adds one header, and passes everything on with `undici`.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { reportToParent } from '../child-server.ts';

const origin = process.argv[2] ?? '';
const pool = new Pool(origin, { connections: 64 });

const server = createServer(async (request, response) => {
  const { method = 'GET', url = '/', headers } = request;
  const { host: _, connection: __, ...kept } = headers;
  const answer = await pool.request({
    method,
    path: url,
    headers: { ...kept, authorization: 'Bearer token' },
    body: method === 'GET' ? null : request,
  });
  response.writeHead(answer.statusCode, answer.headers);
  answer.body.pipe(response);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  reportToParent(
    { url: `http://127.0.0.1:${port}/v1/small`, headers: {} },
    { memory: async () => process.memoryUsage.rss() / 1e6 },
  );
});
