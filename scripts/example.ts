// Starts the example product, and a Patchbay of its own: `npm run example`, or `npm run example -- <folder for data>`.
// Ctrl-C ends both.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const pathOf = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** The folder for everything that Patchbay stores for the example. */
const DATA = resolve(process.argv[2] ?? pathOf('examples/saas/data'));
const READY_MS = 60_000;

/** Finds a free port: the usual one, or one of the next. */
const findPort = async (usual: number): Promise<number> => {
  const probe = createServer();
  const listening = once(probe, 'listening');
  probe.listen(usual, '127.0.0.1');
  const isFree = await listening.then(
    () => true,
    () => false,
  );
  if (!isFree) return findPort(usual + 1);
  probe.close();
  await once(probe, 'close');
  return usual;
};

/** Passes on only the variables that every program needs. The example has its own settings, and leaves yours alone. */
const environment = Object.fromEntries(
  ['PATH', 'HOME', 'SystemRoot', 'TEMP', 'TMPDIR'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

const children: ChildProcess[] = [];
let ending = false;

const endAll = (): void => {
  ending = true;
  for (const child of children) child.kill('SIGTERM');
};

/** Starts one of the two programs. If one ends, so does the other. */
const start = (program: string, args: readonly string[], env: Record<string, string>): void => {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: DATA,
    env: { ...environment, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  child.once('exit', () => {
    if (!ending) process.exitCode = 1;
    endAll();
  });
  children.push(child);
};

const isReady = async (url: string): Promise<boolean> => {
  try {
    const { ok, body } = await fetch(url);
    await body?.cancel();
    return ok;
  } catch {
    return false;
  }
};

const waitFor = async (url: string): Promise<void> => {
  const giveUpAt = performance.now() + READY_MS;
  while (!ending && !(await isReady(url))) {
    if (performance.now() > giveUpAt) throw new Error(`${url} isn't ready after a minute.`);
    await sleep(100);
  }
};

/**
 * Adds an endpoint for events, which is all that a product has to do to receive them. Returns the secret that verifies
 * them, which is shown only now.
 */
const addEndpoint = async (address: string, token: string, url: string): Promise<string> => {
  const ask = async (method: string, path: string, body?: object): Promise<Response> => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
    const init = { method, headers, body: body ? JSON.stringify(body) : null };
    const response = await fetch(`${address}/api/operator/events/endpoints${path}`, init);
    if (!response.ok) throw new Error(`Patchbay has no endpoint for events: ${await response.text()}`);
    return response;
  };
  // Delete the endpoints of earlier starts, when the product may have had another port.
  const { endpoints } = (await (await ask('GET', '')).json()) as { endpoints: { id: string }[] };
  for (const { id } of endpoints) await ask('DELETE', `/${id}`);
  const made = await ask('POST', '', { url, types: ['connection.*', 'provider.event'], description: 'Shipshape' });
  return ((await made.json()) as { secret: string }).secret;
};

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, endAll);
mkdirSync(DATA, { recursive: true });
const patchbayPort = await findPort(3000);
const productPort = await findPort(4000);
const patchbay = `http://localhost:${patchbayPort}`;
// Use another host name, so that the browser sees two sites, as it will in production.
const product = `http://127.0.0.1:${productPort}`;
const token = randomBytes(32).toString('base64url');

try {
  start(pathOf('bin/patchbay.js'), ['serve'], {
    PORT: String(patchbayPort),
    PATCHBAY_DATA: DATA,
    PATCHBAY_OPERATOR_TOKEN: token,
    PATCHBAY_RETURN_ORIGINS: product,
    PATCHBAY_BRAND_NAME: 'Shipshape',
  });
  await waitFor(`${patchbay}/readyz`);
  if (!ending)
    start(pathOf('examples/saas/server.ts'), [], {
      PORT: String(productPort),
      PATCHBAY_URL: patchbay,
      PATCHBAY_OPERATOR_TOKEN: token,
      PATCHBAY_EVENT_SECRET: await addEndpoint(patchbay, token, `${product}/patchbay-events`),
    });
  await waitFor(product);
  if (!ending)
    process.stdout.write(`
Shipshape, a product that embeds Patchbay:  ${product}
Patchbay itself:                            ${patchbay}, with its data in ${relative('.', DATA) || '.'}

Press Ctrl-C to end both.
`);
} catch (error) {
  endAll();
  throw error;
}
