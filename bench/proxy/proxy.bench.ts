import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { alternatePeers } from '../alternate-peers.ts';
import type { Benchmark, Comparison, Result, Tools } from '../benchmark.ts';
import { type ChildServer, startChildServer } from '../child-server.ts';
import { compareServers } from '../http/compare-with-bare.ts';
import { loadServer, warmUp } from '../http/load-server.ts';
import { makeDirectory } from '../temporary-directory.ts';

const API = new URL('./api.child.ts', import.meta.url);
const BARE = new URL('./bare-proxy.child.ts', import.meta.url);
const PATCHBAY = new URL('./patchbay.child.ts', import.meta.url);
const LOG_NOTHING = new URL('./log-nothing.preload.ts', import.meta.url);

/** The request log may cost the proxy 3 %. */
const LOG_GOAL = 0.97;
/** What a token may do may cost it 5 %. */
const RESTRICTED_GOAL = 0.95;
const COST_ROUNDS = 15;

const REQUESTS = 2_000;
const SLOW_STREAMS = 500;
const MEBIBYTE = 1024 * 1024;
/** The largest body that a request may have. All uploads together are a gigabyte. */
const UPLOAD = Buffer.alloc(50 * MEBIBYTE);
const UPLOADS = 21;
const LOOK_MS = 100;

type Place = Pick<ChildServer, 'url' | 'headers'>;
type Variant = { preloads?: readonly URL[]; restricted?: boolean };
type Sent = { method?: string; body?: Buffer; agent?: Agent };

const begin = ({ url, headers }: Place, { method = 'GET', body, agent }: Sent = {}): ClientRequest => {
  const length = body && { 'content-length': body.length };
  const sent = request(url, { method, headers: { ...headers, ...length }, ...(agent && { agent }) });
  sent.end(body);
  return sent;
};

const finish = async (sent: ClientRequest): Promise<void> => {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`The proxy answered with ${response.statusCode}.`);
  response.resume();
  await once(response, 'end');
};

const at = (sorted: readonly number[], share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;

/** Sends requests one after the other. Returns the median and the 99th percentile of their times, in milliseconds. */
const measureDelay = async (place: Place): Promise<{ p50: number; p99: number }> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const took: number[] = [];
  for (let count = 0; count < REQUESTS; count++) {
    const begun = performance.now();
    await finish(begin(place, { agent }));
    took.push(performance.now() - begun);
  }
  agent.destroy();
  took.sort((one, other) => one - other);
  return { p50: at(took, 0.5), p99: at(took, 0.99) };
};

/** How much more memory the server used at most during `work` than before it. */
const measureMemory = async (server: ChildServer, work: () => Promise<void>): Promise<number> => {
  const before = await server.ask('memory');
  let most = before;
  let isDone = false;
  const working = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    most = Math.max(most, await server.ask('memory'));
    await sleep(LOOK_MS);
  }
  await working;
  return most - before;
};

/** What costs something, and the same without it. */
type Cost = Pick<Comparison, 'title' | 'ours' | 'peer' | 'goal'> & { servers: Record<'ours' | 'peer', ChildServer> };

/** Compares the service with and without something, by its processor time. */
const compareCost = async ({ signal }: Tools, { servers, ...names }: Cost): Promise<Comparison> => {
  for (const server of Object.values(servers)) await warmUp(server, server);
  const perProcessorSecond = async (server: ChildServer): Promise<number> =>
    (await loadServer(server, server)).perProcessorSecond;
  const peers = { ours: () => perProcessorSecond(servers.ours), peer: () => perProcessorSecond(servers.peer) };
  return {
    ...{ kind: 'comparison', unit: 'a processor second', ...names },
    rounds: await alternatePeers(peers, { warmUps: 0, rounds: COST_ROUNDS, signal }),
  };
};

export const proxy: Benchmark = {
  name: 'proxy',
  about: "a request to a provider's API through the proxy, against a bare proxy that adds one header",
  async run(tools): Promise<Result[]> {
    const api = await startChildServer(API, '', tools.cleanUp);
    const startOurs = ({ preloads = [], restricted = false }: Variant = {}): Promise<ChildServer> => {
      const argument = JSON.stringify({ directory: makeDirectory(tools.cleanUp), api: api.url, restricted });
      return startChildServer(PATCHBAY, argument, tools.cleanUp, preloads);
    };
    const ours = await startOurs();
    const bare = await startChildServer(BARE, api.url, tools.cleanUp);
    const below = (path: string): Place => ({ ...ours, url: ours.url.replace('small', path) });

    const compared = await compareServers(tools, {
      ...{ title: 'a small response', peerName: 'a bare proxy with undici', goal: 0.5 },
      ...{ ours, peer: bare },
    });
    const silent = await startOurs({ preloads: [LOG_NOTHING] });
    const logging = await compareCost(tools, {
      ...{ title: 'a small response, with the request log', ours: 'logged', peer: 'the same without the log' },
      ...{ servers: { ours, peer: silent }, goal: { atLeast: LOG_GOAL } },
    });
    await silent.end();
    const restricted = await startOurs({ restricted: true });
    const restricting = await compareCost(tools, {
      ...{ title: 'a small response, with a restricted token', ours: 'restricted', peer: 'the same, unrestricted' },
      ...{ servers: { ours: restricted, peer: ours }, goal: { atLeast: RESTRICTED_GOAL } },
    });
    await restricted.end();
    const direct = { url: `${api.url}/v1/small`, headers: {} };
    const delays = [];
    for (let round = 0; round < 3; round++) {
      const [through, without] = [await measureDelay(ours), await measureDelay(direct)];
      delays.push({ p50: through.p50 - without.p50, p99: through.p99 - without.p99 });
    }
    const down = await measureMemory(ours, () => finish(begin(below('gigabyte'))));
    const peers = await measureMemory(bare, () =>
      finish(begin({ ...bare, url: bare.url.replace('small', 'gigabyte') })),
    );
    const up = await measureMemory(ours, async () => {
      for (let count = 0; count < UPLOADS; count++)
        await finish(begin(below('upload'), { method: 'POST', body: UPLOAD }));
    });

    const streams = Array.from({ length: SLOW_STREAMS - 1 }, () => begin(below('slow')));
    await Promise.all(streams.map((stream) => once(stream, 'response')));
    const beside = await measureDelay(ours);
    for (const stream of streams) stream.on('error', () => undefined).destroy();

    const reading = (title: string, unit: string, values: number[], atMost?: number): Result => ({
      ...{ kind: 'reading', title, unit, values },
      ...(atMost === undefined ? {} : { goal: { atMost } }),
    });
    return [
      ...compared,
      logging,
      restricting,
      reading(
        'what the proxy adds to half of the requests',
        'ms',
        delays.map(({ p50 }) => p50),
        2,
      ),
      reading(
        'what the proxy adds at p99',
        'ms',
        delays.map(({ p99 }) => p99),
        10,
      ),
      reading('memory for a response of a gigabyte', 'MB', [down], 30),
      reading('the same in the bare proxy', 'MB', [peers]),
      reading('memory for a gigabyte of uploads', 'MB', [up], 30),
      reading(`p99 of others while ${SLOW_STREAMS - 1} slow streams are open`, 'ms', [beside.p99], 20),
    ];
  },
};
