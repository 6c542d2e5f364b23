import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { nextMessage } from '../child-server.ts';
import type { LoopDelay } from './loop-delay.ts';

export const PROGRAM = fileURLToPath(new URL('../../bin/patchbay.js', import.meta.url));
const LOOP_DELAY = new URL('./loop-delay.preload.ts', import.meta.url).href;
/** Long enough to measure a service that has stalled. */
const ANSWER_WITHIN_MS = 300_000;
const LOOK_EVERY_MS = 2;

export type ServiceEnvironment = Readonly<Record<string, string>> & { PATCHBAY_DATA: string; PORT: string };

const isAnswered = async (url: string, headers: Record<string, string>): Promise<boolean> => {
  try {
    return (await fetch(url, { headers })).status === 200;
  } catch {
    return false;
  }
};

/** Starts the service as an operator does: `patchbay serve`, with nothing but these settings. */
export const startService = async (
  env: ServiceEnvironment,
  cleanUp: AsyncDisposableStack,
  { measuresDelay = false }: { measuresDelay?: boolean } = {},
) => {
  const url = `http://127.0.0.1:${env.PORT}`;
  const begun = performance.now();
  const preload = measuresDelay ? ['--import', LOOP_DELAY] : [];
  const child = spawn(process.execPath, [...preload, PROGRAM, 'serve'], {
    cwd: env.PATCHBAY_DATA,
    env,
    stdio: ['ignore', 'ignore', 'inherit', ...(measuresDelay ? (['ipc'] as const) : [])],
  });
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  /** Kills the process, so that nothing is shut down cleanly. */
  const kill = async (): Promise<void> => {
    if (!isRunning()) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  cleanUp.defer(kill);
  const waitFor = async (path: string, headers: Record<string, string> = {}): Promise<void> => {
    while (!(await isAnswered(`${url}${path}`, headers))) {
      const waitedMs = performance.now() - begun;
      if (!isRunning() || waitedMs > ANSWER_WITHIN_MS) throw new Error('The service did not start.');
      await sleep(LOOK_EVERY_MS);
    }
  };
  await waitFor('/healthz');
  return {
    url,
    startMs: performance.now() - begun,
    pid: child.pid ?? 0,
    kill,
    /** Waits until a path returns 200, because the process is alive before it accepts requests. */
    waitFor,
    /** How late the service's event loop was since the last call. Throws if the service doesn't respond in time. */
    async takeLoopDelay(withinMs: number): Promise<LoopDelay> {
      child.send('loop delay');
      return (await nextMessage(child, withinMs)) as LoopDelay;
    },
  };
};

export type Service = Awaited<ReturnType<typeof startService>>;
