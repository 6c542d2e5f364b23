import type { ChildServer } from '../child-server.ts';
import { type Connection, openConnection } from './connection.ts';
import { type Line, signCalls } from './signed-calls.ts';

const CONNECTIONS = 50;

export type LineServer = ChildServer & Line;

/** Makes requests that are ready to be written to a socket. */
type MakeRequests = (count: number) => Buffer[];

/** `ms`: the time from when the first call was sent until the last one was answered. */
export type Sent = { acknowledged: number; ms: number };

/**
 * Sends requests over several connections. Each connection sends its next request when its last one is answered, until
 * none are left or the time is over. All are signed before that, so that signing takes no time from either peer.
 */
const sendRequests = async (url: string, requests: Buffer[], mostMs: number): Promise<Sent> => {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(url)));
  const begun = performance.now();
  let acknowledged = 0;
  const send = async (connection: Connection): Promise<void> => {
    while (performance.now() - begun < mostMs) {
      const request = requests.pop();
      if (!request) return;
      const status = await connection.exchange(request);
      if (status !== 200) throw new Error(`${url} answered ${status}.`);
      acknowledged++;
    }
  };
  try {
    await Promise.all(connections.map(send));
    return { acknowledged, ms: performance.now() - begun };
  } finally {
    for (const connection of connections) connection.close();
  }
};

/** Sends calls until all are answered, or until the time is over. */
export const sendCalls = (line: Line, count: number, mostMs = Number.POSITIVE_INFINITY): Promise<Sent> =>
  sendRequests(line.url, signCalls(line, count), mostMs);

export type LineLoad = { acknowledged: number; perSecond: number; perProcessorSecond: number };

const ROUND_MS = 2_000;
const FIRST_COUNT = 4_000;
const MOST_COUNT = 300_000;
/** How many more calls are signed than the last round took, in case the server is faster now. */
const MARGIN = 1.5;

/** Loads a server in rounds of two seconds. A round's speed determines how many requests are made for the next one. */
export const createLoad = (server: ChildServer, make: MakeRequests): (() => Promise<LineLoad>) => {
  let count = FIRST_COUNT;
  return async () => {
    const workedBefore = await server.processorMs();
    const { acknowledged, ms } = await sendRequests(server.url, make(count), ROUND_MS);
    const workedMs = (await server.processorMs()) - workedBefore;
    count = Math.min(MOST_COUNT, Math.ceil((acknowledged / ms) * ROUND_MS * MARGIN));
    return {
      acknowledged,
      perSecond: (acknowledged / ms) * 1_000,
      perProcessorSecond: (acknowledged / workedMs) * 1_000,
    };
  };
};

/** Loads a server with signed calls. */
export const createLineLoad = (server: LineServer): (() => Promise<LineLoad>) =>
  createLoad(server, (count) => signCalls(server, count));

/** How many calls warm up a server. Node compiles code by how often it has run. */
const WARM_CALLS = 30_000;
const MOST_WARM_UPS = 6;

export const warmUpLine = async (load: () => Promise<LineLoad>): Promise<void> => {
  let calls = 0;
  for (let turn = 0; turn < MOST_WARM_UPS && calls < WARM_CALLS; turn++) calls += (await load()).acknowledged;
};
