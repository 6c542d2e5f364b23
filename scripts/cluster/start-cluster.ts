import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SECRETS } from '../../test/harness/app.ts';
import { createDatabaseAt } from '../../test/harness/databases.ts';
import { findFreePort } from '../../test/harness/free-port.ts';
import { SERVICE_URL } from '../../test/harness/oauth-server.ts';
import { startPostgresqlPair } from '../../test/harness/postgresql-pair.ts';
import { type Serving, startServe } from '../../test/harness/serve-process.ts';
import { makeTestDirectory } from '../../test/harness/test-directory.ts';
import { waitUntil } from '../../test/harness/wait-until.ts';

const PROCESSES = 3;
const DATABASE = 'patchbay';
const EXAMPLE = join(import.meta.dirname, '../../deploy/haproxy.cfg');

export const isHaproxyInstalled = (): boolean => spawnSync('haproxy', ['-v']).error === undefined;

/** Starts HAProxy with the example in deploy/ and the ports of this run. */
const startHaproxy = async (directory: string, ports: readonly number[]) => {
  const port = await findFreePort();
  const config = ports.reduce(
    (text, own, index) => text.replace(`127.0.0.1:${3001 + index}`, `127.0.0.1:${own}`),
    readFileSync(EXAMPLE, 'utf8').replace('127.0.0.1:8080', `127.0.0.1:${port}`),
  );
  const file = join(directory, 'haproxy.cfg');
  writeFileSync(file, config);
  const child: ChildProcess = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { port, stop };
};

/** Starts three processes behind HAProxy, on a primary and its standby. Each process has its own data directory. */
export const startCluster = async (more: Readonly<Record<string, string>>) => {
  const undo: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.reverse()) await step();
  };
  try {
    const directory = makeTestDirectory('patchbay-cluster-');
    undo.push(directory.remove);
    const pair = await startPostgresqlPair();
    undo.push(pair.remove);
    await createDatabaseAt(pair.primary.url, DATABASE);
    const processes: Serving[] = [];
    const ports = await Promise.all(Array.from({ length: PROCESSES }, findFreePort));
    const startProcess = async (index: number): Promise<void> => {
      processes[index] = await startServe({
        ...SECRETS,
        ...more,
        PATCHBAY_URL: SERVICE_URL,
        DATABASE_URL: pair.urlOf(DATABASE),
        PATCHBAY_DATA: join(directory.path, `process-${index + 1}`),
        PATCHBAY_TRUSTED_PROXIES: '127.0.0.1',
        PORT: String(ports[index]),
      });
    };
    undo.push(() => Promise.all(processes.map((serving) => serving.end())));
    for (let index = 0; index < PROCESSES; index++) await startProcess(index);
    const isUp = (port: number): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      );
    for (const port of ports) await waitUntil('a process is ready', () => isUp(port), 60_000);
    const haproxy = await startHaproxy(directory.path, ports);
    undo.push(haproxy.stop);
    await waitUntil('HAProxy is ready', () => isUp(haproxy.port), 10_000);
    return { pair, processes, startProcess, isUp, port: haproxy.port, url: pair.urlOf(DATABASE), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

export type Cluster = Awaited<ReturnType<typeof startCluster>>;
