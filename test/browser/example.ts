import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '../harness/wait-until.ts';

const SERVER = fileURLToPath(new URL('../../examples/saas/server.ts', import.meta.url));

/** The example product in a process of its own, for a Patchbay that is running. */
export const startExample = async (port: number, { url, token }: { url: string; token: string }) => {
  const child = spawn(process.execPath, [SERVER], {
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port), PATCHBAY_URL: url, PATCHBAY_OPERATOR_TOKEN: token },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  const origin = `http://127.0.0.1:${port}`;
  await waitUntil('the example is ready', async () => {
    if (child.exitCode !== null) throw new Error('The example ended.');
    return fetch(origin).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return {
    origin,
    async stop(): Promise<void> {
      child.kill();
      await ended;
    },
  };
};

export type Example = Awaited<ReturnType<typeof startExample>>;
