import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { findFreePort } from './free-port.ts';
import { startStopwatch } from './start-stopwatch.ts';
import { makeTestDirectory } from './test-directory.ts';
import { waitUntil } from './wait-until.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/patchbay.js', import.meta.url));

export const PRODUCTION = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  PATCHBAY_KEYS: 'k1:u5L2v0xW8nq3Yb7Rz1Kc6Ht9Jd4Mf0Ps2Gw5Xe8Qa7U=',
} as const;

/** For a program that may have only this many files open. Node itself would raise a limit that isn't final. */
export const withOpenFiles = (most: number): RunOptions => ({
  node: '/bin/sh',
  nodeArguments: ['-c', `ulimit -n ${most} && exec "$0" "$@"`, process.execPath],
});

export const makeDataDirectory = () => makeTestDirectory('patchbay-serve-');

const collect = (child: ChildProcess) => {
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  }
  return output;
};

export type RunOptions = {
  node?: string;
  nodeArguments?: readonly string[];
  args?: readonly string[];
  /** Of another version. */
  program?: string;
};

/** The real program in a separate process. Its environment is exactly what is given, without any `.env`. */
export const startProgram = (
  env: Readonly<Record<string, string>>,
  { node = process.execPath, nodeArguments = [], args = ['serve'], program = PROGRAM }: RunOptions = {},
) => {
  const child = spawn(node, [...nodeArguments, program, ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collect(child);
  const closed = once(child, 'close');
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid ?? 0,
    output,
    isRunning,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Lines that the program printed for the person who ran it. */
    errorLines: () => output.stderr.split('\n').filter((line) => line !== ''),
    /** Waits for it to end, and returns how it ended. If it doesn't end, it's killed. */
    async ended(withinMs = 20_000): Promise<{ code: number | null; tookMs: number }> {
      const readMs = startStopwatch(child);
      let tookMs = 0;
      const hasEnded = (): boolean => {
        tookMs = readMs();
        return !isRunning();
      };
      await waitUntil('the process ends', hasEnded, withinMs, child).catch(() => child.kill('SIGKILL'));
      await closed;
      return { code: child.exitCode, tookMs };
    },
    async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
      if (isRunning()) child.kill(signal);
      await closed;
    },
  };
};

export type Program = ReturnType<typeof startProgram>;

/** A serving process on its own port, unless one is given. Doesn't wait for it. */
export const startServe = async (env: Readonly<Record<string, string>>, options?: RunOptions) => {
  const port = Number(env['PORT'] ?? (await findFreePort()));
  const program = startProgram({ ...env, PORT: String(port) }, options);
  const url = `http://127.0.0.1:${port}`;
  const isReady = async (): Promise<boolean> => {
    if (!program.isRunning()) throw new Error(`The process ended: ${program.output.stdout}${program.output.stderr}`);
    // It prints this last, and checking that is free.
    if (!program.output.stdout.includes('"msg":"ready"')) return false;
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    await answer?.body?.cancel();
    return answer?.status === 200;
  };
  return {
    ...program,
    port,
    url,
    fetch: (path: string, init?: RequestInit) => fetch(`${url}${path}`, init),
    ready: (withinMs = 40_000) => waitUntil('the process is ready', isReady, withinMs, program),
  };
};

export type Serving = Awaited<ReturnType<typeof startServe>>;
