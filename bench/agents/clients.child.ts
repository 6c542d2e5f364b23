// Many busy clients in a process of their own, so that what they need isn't in what another team's requests take.
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { reportToParent } from '../child-server.ts';
import { type Asked, ask, callOf, readSmall } from './ask.ts';

/** What a refusal asks for at least. */
const A_SECOND_MS = 1_000;

export type ClientPlan = { tokens: readonly string[]; mcp: string; proxied: string; busyMs: number };

const { tokens, mcp, proxied, busyMs }: ClientPlan = JSON.parse(process.argv[2] ?? '');

/** Keeps all clients busy, each with the same requests one after the other. Returns how many were answered. */
const beBusy = async (requestsOf: (token: string) => readonly Asked[]): Promise<number> => {
  const until = performance.now() + busyMs;
  let sent = 0;
  const work = async (token: string): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (performance.now() < until)
      for (const asked of requestsOf(token)) {
        const { tooFast } = await ask({ ...asked, agent });
        if (tooFast) await sleep(A_SECOND_MS);
        else sent += 1;
      }
    agent.destroy();
  };
  await Promise.all(tokens.map(work));
  return sent;
};

reportToParent(
  { url: mcp, headers: {} },
  {
    agents: () =>
      beBusy((token) => [
        { url: mcp, ...callOf(token, 'tools/list') },
        { url: mcp, ...callOf(token, 'tools/call', readSmall) },
      ]),
    proxy: () => beBusy((token) => [{ url: proxied, headers: { authorization: `Bearer ${token}` } }]),
  },
);
