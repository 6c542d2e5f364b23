import type { Benchmark, Tools } from '../benchmark.ts';
import { type ChildServer, startChildServer } from '../child-server.ts';
import { compareServers, compareWithBare } from '../http/compare-with-bare.ts';
import { makeDirectory } from '../temporary-directory.ts';

const PATCHBAY = new URL('./patchbay.child.ts', import.meta.url);
const GRANT = new URL('./grant.child.ts', import.meta.url);

const startPatchbay = ({ cleanUp }: Tools, route: 'connect' | 'status' | 'token'): Promise<ChildServer> =>
  startChildServer(PATCHBAY, JSON.stringify({ directory: makeDirectory(cleanUp), route }), cleanUp);

export const connectRedirect: Benchmark = {
  name: 'connect',
  about: 'GET connect with all its checks, against a bare redirect and against the npm package grant',
  async run(tools) {
    const ours = await startPatchbay(tools, 'connect');
    const bare = await compareWithBare(tools, { title: 'GET connect', ours, goal: 0.5 });
    const grant = await startChildServer(GRANT, '', tools.cleanUp);
    const others = await compareServers(tools, {
      title: 'GET connect',
      peerName: 'grant on Express',
      ours,
      peer: grant,
      goal: null,
    });
    return [...bare, ...others];
  },
};

export const statusAnswer: Benchmark = {
  name: 'status',
  about: 'the status of a team with 20 integrations, against bare node:http sending the same bytes',
  run: async (tools) =>
    compareWithBare(tools, { title: 'GET status', ours: await startPatchbay(tools, 'status'), goal: 0.85 }),
};

export const tokenHandOut: Benchmark = {
  name: 'token',
  about: 'the hand-out of an access token from the vault, audited, against bare node:http sending the same bytes',
  run: async (tools) =>
    compareWithBare(tools, { title: 'POST token', ours: await startPatchbay(tools, 'token'), goal: 0.35 }),
};
