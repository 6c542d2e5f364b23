import type { Benchmark } from '../benchmark.ts';
import { startChildServer } from '../child-server.ts';
import { makeDirectory } from '../temporary-directory.ts';
import { compareWithBare } from './compare-with-bare.ts';

const PATCHBAY = new URL('./patchbay.child.ts', import.meta.url);

export const httpRoute: Benchmark = {
  name: 'http',
  about: 'a trivial authenticated route with all hooks, against bare node:http answering the same bytes',
  async run(tools) {
    const ours = await startChildServer(PATCHBAY, makeDirectory(tools.cleanUp), tools.cleanUp);
    return compareWithBare(tools, { title: 'a trivial route', ours, goal: 0.8 });
  },
};
