import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeDirectory } from '../temporary-directory.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/patchbay.js', import.meta.url));
const ANSWER_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 2;

const findFreePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
};

const isAnswered = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url)).status === 200;
  } catch {
    return false;
  }
};

/** The service as an operator starts it for the first time: an empty directory, no setting but the port. */
export const startService = async (cleanUp: AsyncDisposableStack) => {
  const directory = makeDirectory(cleanUp);
  const port = await findFreePort();
  const begun = performance.now();
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    cwd: directory,
    env: { PATCHBAY_DATA: directory, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  cleanUp.defer(async () => {
    if (!isRunning()) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  while (!(await isAnswered(`http://127.0.0.1:${port}/healthz`))) {
    const waitedMs = performance.now() - begun;
    if (!isRunning() || waitedMs > ANSWER_WITHIN_MS) throw new Error('The service did not start.');
    await sleep(LOOK_EVERY_MS);
  }
  return { startMs: performance.now() - begun, pid: child.pid ?? 0 };
};
