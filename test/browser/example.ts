import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../harness/free-port.ts';
import { waitUntil } from '../harness/wait-until.ts';

const SERVER = fileURLToPath(new URL('../../examples/saas/server.ts', import.meta.url));

type PatchbayOfExample = { url: string; token: string; eventSecret: string };

/** Where the example receives events. */
export const eventsAddressOf = (port: number): string => `http://127.0.0.1:${port}/patchbay-events`;

/** The example product in a process of its own, for a Patchbay that is running. */
export const startExample = async (port: number, { url, token, eventSecret }: PatchbayOfExample) => {
  const settings = { PATCHBAY_URL: url, PATCHBAY_OPERATOR_TOKEN: token, PATCHBAY_EVENT_SECRET: eventSecret };
  const child = spawn(process.execPath, [SERVER], {
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port), ...settings },
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

/** The example with all that it needs to start: something that says yes to its two requests. */
export const startExampleAlone = async (eventSecret: string) => {
  const patchbay = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end('{}');
  });
  patchbay.listen(0, '127.0.0.1');
  await once(patchbay, 'listening');
  const { port } = patchbay.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const example = await startExample(await findFreePort(), { url, token: 'x'.repeat(32), eventSecret });
  return {
    origin: example.origin,
    async close(): Promise<void> {
      await example.stop();
      patchbay.close();
    },
  };
};
