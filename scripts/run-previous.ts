// Runs the last released version while this one migrates its database, and then both side by side, as in a rolling
// restart: `npm run previous`, or with any commit: `npm run previous -- <commit>`. See docs/upgrading.md.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SECRETS } from '../test/harness/app.ts';
import { createDatabaseAt, databaseUrl } from '../test/harness/databases.ts';
import { startPostgresqlServer } from '../test/harness/postgresql-server.ts';
import { makeDataDirectory, startProgram, startServe } from '../test/harness/serve-process.ts';
import { walkThrough } from '../test/harness/walk-through.ts';

const LONGEST_OUTPUT = 1024 ** 3;

const run = (command: string, args: readonly string[], options: { cwd?: string; input?: Buffer } = {}): Buffer => {
  const { status, stdout, stderr } = spawnSync(command, args, { ...options, maxBuffer: LONGEST_OUTPUT });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
};

const findLastRelease = (): string | null => {
  const { status, stdout } = spawnSync('git', ['describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD']);
  return status === 0 ? stdout.toString().trim() : null;
};

/** Checks out a version into a new folder, with the packages that it had. */
const checkOut = (ref: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-previous-'));
  run('tar', ['-x'], { cwd: folder, input: run('git', ['archive', ref]) });
  const lock = (directory: string): string => readFileSync(join(directory, 'package-lock.json'), 'utf8');
  if (lock(folder) === lock('.')) symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  else run('npm', ['ci', '--omit=dev'], { cwd: folder });
  return folder;
};

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const tryOn = async (engine: string, folder: string, databaseUrlOf: () => Promise<string>): Promise<void> => {
  const data = makeDataDirectory();
  const others = makeDataDirectory();
  const settings = { ...SECRETS, PATCHBAY_DATA: data.path, DATABASE_URL: await databaseUrlOf() };
  const previous = await startServe(settings, { program: join(folder, 'bin/patchbay.js') });
  const ended: (() => Promise<void>)[] = [() => previous.end('SIGTERM')];
  try {
    await previous.ready();
    await walkThrough(previous, 'before');
    const migrating = startProgram(settings, { args: ['migrate'] });
    if ((await migrating.ended()).code !== 0) throw new Error(migrating.output.stderr);
    say(`${engine}: ${migrating.output.stdout.trim()}`);
    await walkThrough(previous, 'after');
    say(`${engine}: the previous version works on the new schema.`);
    if (engine === 'postgresql') {
      const current = await startServe({ ...settings, PATCHBAY_DATA: others.path });
      ended.push(() => current.end('SIGTERM'));
      await current.ready();
      await Promise.all([walkThrough(previous, 'beside-old'), walkThrough(current, 'beside-new')]);
      say(`${engine}: both versions work side by side.`);
    }
    const dead = startProgram(settings, { args: ['jobs', 'dead', '--json'] });
    await dead.ended();
    const { dead: failed } = JSON.parse(dead.output.stdout);
    if (failed.length > 0) throw new Error(`Jobs have failed: ${JSON.stringify(failed)}`);
  } finally {
    for (const end of ended) await end();
    data.remove();
    others.remove();
  }
};

const ref = process.argv[2] ?? findLastRelease();
if (ref === null) {
  say('No version has been released yet (there is no tag like v1.2.3), so there is nothing to compare with.');
} else {
  say(`The previous version is ${ref}.`);
  const folder = checkOut(ref);
  const server = await startPostgresqlServer({ fsync: false });
  try {
    await tryOn('sqlite', folder, async () => '');
    await tryOn('postgresql', folder, async () => {
      await createDatabaseAt(server.url, 'previous');
      return databaseUrl(server.url, 'previous');
    });
  } finally {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}
