import autocannon from 'autocannon';
import type { ChildServer, Ready } from '../child-server.ts';

const CONNECTIONS = 50;
const SECONDS = 3;
const WARM_REQUESTS = 50_000;
const MOST_WARM_UPS = 4;

/** How requests are sent to a server. */
export type Asking = Pick<Ready, 'headers' | 'method'>;

export type Load = {
  requests: number;
  perSecond: number;
  /**
   * Requests for each second of the server's own processor time: holds even if the machine is busy with something else.
   */
  perProcessorSecond: number;
  /** The share of the time that the server was working. */
  busy: number;
};

/**
 * Keeps this process from sleeping. The server that responds would pay for waking it, and the slower that server is,
 * the more it would pay: 15 µs per request (measured), when a whole bare response takes 45.
 */
export const stayAwake = (): Disposable => {
  let awake = true;
  const turn = (): void => {
    if (awake) setImmediate(turn);
  };
  turn();
  return {
    [Symbol.dispose]() {
      awake = false;
    },
  };
};

/** Keep-alive connections that each send the next request once the last one has its response. */
export const loadServer = async (server: ChildServer, { headers, method = 'GET' }: Asking): Promise<Load> => {
  using _ = stayAwake();
  const workedBefore = await server.processorMs();
  const load = await autocannon({
    url: server.url,
    connections: CONNECTIONS,
    duration: SECONDS,
    sampleInt: 100,
    headers,
    method,
  });
  const workedMs = (await server.processorMs()) - workedBefore;
  const failed = load['1xx'] + load['4xx'] + load['5xx'] + load.errors + load.timeouts;
  const requests = load['2xx'] + load['3xx'];
  if (failed > 0) throw new Error(`${failed} of ${requests + failed} requests to ${server.url} failed.`);
  return {
    requests,
    perSecond: requests / load.duration,
    perProcessorSecond: (requests / workedMs) * 1_000,
    busy: workedMs / 1_000 / load.duration,
  };
};

/**
 * Code is compiled by how often it has run, not by the time: on a busy machine, the same number of seconds means fewer
 * requests.
 */
export const warmUp = async (server: ChildServer, asking: Asking): Promise<void> => {
  let requests = 0;
  for (let turn = 0; turn < MOST_WARM_UPS && requests < WARM_REQUESTS; turn++)
    requests += (await loadServer(server, asking)).requests;
};
