// A provider's API. It sends a gigabyte, or a word every second, or, in response to anything else, a small JSON object.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reportToParent } from '../child-server.ts';

const SMALL = JSON.stringify({ id: 1, name: 'An answer as APIs give it', tags: ['one', 'two', 'three'] });
const PIECE = Buffer.alloc(1024 * 1024, 'x');
const PIECES = 1024;
const WORD_MS = 1_000;

const sendGigabyte = (response: ServerResponse): void => {
  let sent = 0;
  const more = (): void => {
    while (sent < PIECES && !response.destroyed) {
      sent++;
      if (!response.write(PIECE)) return void response.once('drain', more);
    }
    response.end();
  };
  response.writeHead(200, { 'content-length': PIECE.length * PIECES });
  more();
};

const drip = (response: ServerResponse): void => {
  const timer = setInterval(() => response.write('word '), WORD_MS);
  response.on('close', () => clearInterval(timer));
  response.write('first ');
};

const server = createServer((request, response) => {
  if (request.url === '/v1/gigabyte') return sendGigabyte(response);
  if (request.url === '/v1/slow') return drip(response);
  request.resume();
  request.on('end', () => response.setHeader('content-type', 'application/json').end(SMALL));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  reportToParent({ url: `http://127.0.0.1:${port}`, headers: {} });
});
