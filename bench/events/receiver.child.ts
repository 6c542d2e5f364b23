// A server that receives events. It accepts them at once, except on the path `/never`, where it never responds.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { reportToParent } from '../child-server.ts';

const now = (): number => performance.timeOrigin + performance.now();
let delays: number[] = [];

const server = createServer(async (request, response) => {
  const arrivedAt = now();
  const { data } = JSON.parse(await text(request));
  if (request.url === '/never') return;
  delays.push(arrivedAt - (data.at ?? data.payload.at));
  response.writeHead(204).end();
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  reportToParent(
    { url: `http://127.0.0.1:${port}`, headers: {} },
    {
      count: async () => delays.length,
      take: async () => {
        const taken = delays;
        delays = [];
        return taken;
      },
    },
  );
});
