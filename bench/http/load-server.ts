import autocannon from 'autocannon';
import type { ChildServer } from '../child-server.ts';

const CONNECTIONS = 50;
const SECONDS = 3;

export type Load = {
  perSecond: number;
  /** Requests for each second of the server's own processor time: does not ask whether the load could keep up. */
  perProcessorSecond: number;
  /** The share of the time that the server was working. */
  busy: number;
};

/** Keep-alive connections that each send the next request when the last one is answered. */
export const loadServer = async (server: ChildServer, headers: Record<string, string>): Promise<Load> => {
  const workedBefore = await server.processorMs();
  const load = await autocannon({
    url: server.url,
    connections: CONNECTIONS,
    duration: SECONDS,
    sampleInt: 100,
    headers,
  });
  const workedMs = (await server.processorMs()) - workedBefore;
  const failed = load.non2xx + load.errors + load.timeouts;
  if (failed > 0) throw new Error(`${failed} of ${load['2xx'] + failed} requests to ${server.url} failed.`);
  return {
    perSecond: load['2xx'] / load.duration,
    perProcessorSecond: (load['2xx'] / workedMs) * 1_000,
    busy: workedMs / 1_000 / load.duration,
  };
};
