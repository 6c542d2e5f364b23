import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { alternatePeers, pick } from '../alternate-peers.ts';
import type { Benchmark } from '../benchmark.ts';
import { readResidentMegabytes } from './resident-memory.ts';
import { startService } from './start-service.ts';

const IDLE_MS = 3_000;

type Started = { ms: number; megabytes: number };

const measureService = async (): Promise<Started> => {
  await using cleanUp = new AsyncDisposableStack();
  const { startMs, pid } = await startService(cleanUp);
  await sleep(IDLE_MS);
  return { ms: startMs, megabytes: readResidentMegabytes(pid) };
};

/** The same program doing nothing: the least that any start costs. */
const measureNode = async (): Promise<Started> => {
  const begun = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return { ms: performance.now() - begun, megabytes: 0 };
};

export const startAndMemory: Benchmark = {
  name: 'start',
  about: 'from nothing to the first answer in an empty data directory, and what it holds when idle',
  async run({ signal }) {
    const rounds = await alternatePeers({ ours: measureService, peer: measureNode }, { warmUps: 1, rounds: 5, signal });
    return [
      {
        kind: 'comparison',
        title: 'start to listening',
        unit: 'ms',
        ours: 'patchbay serve, first 200 of /healthz',
        peer: 'node -e 0',
        rounds: pick(rounds, ({ ms }) => ms),
        goal: null,
      },
      {
        kind: 'reading',
        title: `resident memory ${IDLE_MS / 1_000} s after the start`,
        unit: 'MB',
        values: rounds.ours.map(({ megabytes }) => megabytes),
        aim: { under: 150 },
      },
    ];
  },
};
