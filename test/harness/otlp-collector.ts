import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type DecodedSpan, decodeOtlp } from './decode-otlp.ts';
import { waitUntil } from './wait-until.ts';

type Batch = { path: string; headers: IncomingMessage['headers']; body: Buffer };
type Respond = (response: ServerResponse) => void;

const accept: Respond = (response) => void response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();

/** A collector that decodes the spans it gets. `respond` says how it responds. */
export const startCollector = async () => {
  const batches: Batch[] = [];
  const spans: DecodedSpan[] = [];
  const collector = { respond: accept };
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url: path = '', headers } = request;
    const body = await buffer(request);
    batches.push({ path, headers, body });
    spans.push(...decodeOtlp(body));
    collector.respond(response);
  };
  const problems: unknown[] = [];
  const server = createServer((request, response) => {
    receive(request, response).catch((error) => {
      problems.push(error);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(collector, {
    url: `http://127.0.0.1:${port}`,
    accept,
    batches,
    spans,
    /** Everything that it got, byte by byte. */
    bytes: (): Buffer => Buffer.concat(batches.map(({ body }) => body)),
    /** Waits until there are this many spans that match. They are exported behind the responses. */
    async waitFor(what: string, number: number, matches: (span: DecodedSpan) => boolean): Promise<DecodedSpan[]> {
      const find = (): DecodedSpan[] => spans.filter(matches);
      await waitUntil(`${number} spans: ${what}`, () => {
        if (problems.length > 0) throw problems[0];
        return find().length >= number;
      });
      return find().sort((one, other) => one.startedAt - other.startedAt);
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
};

export type Collector = Awaited<ReturnType<typeof startCollector>>;
