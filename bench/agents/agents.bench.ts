import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark, Result } from '../benchmark.ts';
import { type ChildServer, startChildServer } from '../child-server.ts';
import { quantile } from '../telephony/open-loop.ts';
import { makeDirectory } from '../temporary-directory.ts';
import { type Asked, ask, callOf, readSmall } from './ask.ts';
import type { ClientPlan } from './clients.child.ts';

const API = new URL('../proxy/api.child.ts', import.meta.url);
const PATCHBAY = new URL('../proxy/patchbay.child.ts', import.meta.url);

const CLIENTS_SCRIPT = new URL('./clients.child.ts', import.meta.url);

const REQUESTS = 2_000;
const ROUNDS = 3;
const TEAMS = 10;
const CLIENTS = 200;
const BUSY_MS = 10_000;
const LOOK_EVERY_MS = 20;

/** Sends the same request again and again. Returns how long half of the responses took at most, in milliseconds. */
const measureMedian = async (asked: Asked): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const took: number[] = [];
  for (let count = 0; count < REQUESTS; count++) took.push((await ask({ ...asked, agent })).ms);
  agent.destroy();
  return quantile(took, 0.5);
};

/** How long 99 % of another team's requests take at most, for as long as the clients are busy. */
const measureBystander = async (asked: Asked, busy: Promise<unknown>): Promise<number> => {
  const agent = new Agent({ keepAlive: true });
  const took: number[] = [];
  let isBusy = true;
  const ended = busy.finally(() => {
    isBusy = false;
  });
  while (isBusy) {
    took.push((await ask({ ...asked, agent })).ms);
    await sleep(LOOK_EVERY_MS);
  }
  await ended;
  agent.destroy();
  return quantile(took, 0.99);
};

export const agents: Benchmark = {
  name: 'agents',
  about: 'agents that list tools and call a provider through /mcp, against the same requests through the proxy',
  async run(tools): Promise<Result[]> {
    const api = await startChildServer(API, '', tools.cleanUp);
    const start = (more: object): Promise<ChildServer> => {
      const argument = { directory: makeDirectory(tools.cleanUp), api: api.url, restricted: true, ...more };
      return startChildServer(PATCHBAY, JSON.stringify(argument), tools.cleanUp);
    };
    const alone = await start({});
    const through = { url: alone.url, headers: alone.headers };
    const token = alone.headers['authorization']?.slice('Bearer '.length) ?? '';
    const called = { url: new URL('/mcp', alone.url).href, ...callOf(token, 'tools/call', readSmall) };
    await Promise.all([measureMedian(through), measureMedian(called)]);
    const added: number[] = [];
    for (let round = 0; round < ROUNDS; round++)
      added.push((await measureMedian(called)) - (await measureMedian(through)));

    await alone.end();

    // With the usual limits, which keep a team from taking everything.
    const server = await start({ rateLimit: '6000', teams: TEAMS });
    const made = await server.askFor<{ tokens: string[]; bystander: string }>('agents', 60_000);
    const url = new URL('/mcp', server.url).href;
    const status = new URL('/api/integrations/status', server.url).href;
    const other = { url: status, headers: { authorization: `Bearer ${made.bystander}` } };
    const plan: ClientPlan = { tokens: made.tokens, mcp: url, proxied: server.url, busyMs: BUSY_MS };
    const clients = await startChildServer(CLIENTS_SCRIPT, JSON.stringify(plan), tools.cleanUp);
    const grew: Record<'agents' | 'proxy', number[]> = { agents: [], proxy: [] };
    for (let round = 0; round < ROUNDS; round++) {
      const quiet = await measureBystander(other, sleep(BUSY_MS));
      for (const who of ['agents', 'proxy'] as const) {
        const busy = clients.askFor<number>(who, 2 * BUSY_MS);
        grew[who].push((await measureBystander(other, busy)) - quiet);
        tools.note(`${CLIENTS} clients in ${TEAMS} teams got ${await busy} responses (${who}).`);
      }
    }
    return [
      {
        kind: 'reading',
        title: 'what call_api adds to half of the same requests through the proxy',
        unit: 'ms',
        values: added,
        goal: { atMost: 3 },
      },
      {
        kind: 'reading',
        title: `what ${CLIENTS} busy clients add to another team's p99`,
        unit: 'ms',
        values: grew.agents,
        goal: { atMost: 20 },
      },
      {
        kind: 'reading',
        title: 'the same with clients of the proxy',
        unit: 'ms',
        values: grew.proxy,
      },
    ];
  },
};
