import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../test/harness/free-port.ts';
import { readResidentMegabytes } from '../../test/harness/resident-memory.ts';
import { alternatePeers, pick } from '../alternate-peers.ts';
import type { Benchmark } from '../benchmark.ts';
import { makeSettings } from '../service/place.ts';
import { setUpLine } from '../service/set-up-line.ts';
import { startService } from '../service/start-service.ts';
import { sendCalls } from '../telephony/load-line.ts';
import { makeDirectory } from '../temporary-directory.ts';

const IDLE_MS = 3_000;
const CALLS = 45_000;
const REST_MS = 30_000;
const GOALS = { startMs: 1_000, idleMegabytes: 130, restedMegabytes: 220 };

type Started = { ms: number; megabytes: number };

/** Measures a first start, with an empty directory and no setting but the port. */
const measureService = async (): Promise<Started> => {
  await using cleanUp = new AsyncDisposableStack();
  const settings = { PATCHBAY_DATA: makeDirectory(cleanUp), PORT: String(await findFreePort()) };
  const { startMs, pid } = await startService(settings, cleanUp);
  await sleep(IDLE_MS);
  return { ms: startMs, megabytes: readResidentMegabytes(pid) };
};

/** Measures how long Node takes to start and do nothing, which is the minimum for any start. */
const measureNode = async (): Promise<Started> => {
  const begun = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return { ms: performance.now() - begun, megabytes: 0 };
};

/** Measures how much memory the service still has some time after it was busy. */
const measureRested = async (signal: AbortSignal): Promise<number> => {
  await using cleanUp = new AsyncDisposableStack();
  const service = await startService(await makeSettings(null, cleanUp), cleanUp);
  const { acknowledged } = await sendCalls(await setUpLine(service), CALLS);
  if (acknowledged !== CALLS) throw new Error(`${acknowledged} of ${CALLS} calls were answered.`);
  await sleep(REST_MS, undefined, { signal });
  return readResidentMegabytes(service.pid);
};

export const startAndMemory: Benchmark = {
  name: 'start',
  about: 'from nothing to the first answer in an empty data directory, what it holds when idle, and after 45,000 calls',
  async run({ signal }) {
    const rounds = await alternatePeers({ ours: measureService, peer: measureNode }, { warmUps: 1, rounds: 5, signal });
    const rested = await measureRested(signal);
    return [
      {
        kind: 'reading',
        title: 'start to the first 200 of /healthz',
        unit: 'ms',
        values: rounds.ours.map(({ ms }) => ms),
        goal: { atMost: GOALS.startMs },
      },
      {
        kind: 'comparison',
        title: 'the same, beside a process that does nothing',
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
        goal: { atMost: GOALS.idleMegabytes },
      },
      {
        kind: 'reading',
        title: `resident memory ${REST_MS / 1_000} s after ${CALLS.toLocaleString('en')} calls over 50 connections`,
        unit: 'MB',
        values: [rested],
        goal: { atMost: GOALS.restedMegabytes },
      },
    ];
  },
};
