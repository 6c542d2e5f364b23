// What every npm script goes through, on whatever Node the machine has (20 or newer): installs what the lockfile asks
// for and node_modules lacks, then runs the script given on the project's own Node 24.
// (npm's own "prestart" would be the place, but `ignore-scripts=true` switches that off.)
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PARENT_CHECK_MS = 500;

const root = fileURLToPath(new URL('..', import.meta.url));
const args = process.argv.slice(2);
const wantsDev = args[0] === '--dev';
const [script, ...scriptArgs] = wantsDev ? args.slice(1) : args;

const readPackages = (file) => {
  const path = join(root, file);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : {};
};

// npm keeps in node_modules/.package-lock.json what it has really installed. Optional packages are left out of the
// comparison, since those of other platforms are never there.
const isIncomplete = () => {
  const installed = readPackages('node_modules/.package-lock.json');
  return Object.entries(readPackages('package-lock.json')).some(
    ([path, wanted]) =>
      path !== '' &&
      !wanted.optional &&
      !wanted.devOptional &&
      (wantsDev || !wanted.dev) &&
      installed[path]?.version !== wanted.version,
  );
};

const install = () => {
  process.stderr.write('Installing dependencies (npm ci), once…\n');
  // The npm that runs this script, on the Node that runs npm: never the Node inside node_modules, which npm ci replaces.
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  const [command, ...rest] = npm && node ? [node, npm, 'ci'] : ['npm', 'ci'];
  const options = ['--no-audit', '--no-fund', '--loglevel=error', ...(wantsDev ? ['--include=dev'] : [])];
  const { status, error } = spawnSync(command, [...rest, ...options], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (!error && status === 0) return;
  process.stderr.write('The install failed: run "npm ci" by hand to see why, then try again.\n');
  process.exit(1);
};

const runOnProjectNode = (file) => {
  const node = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
  const child = spawn(existsSync(node) ? node : process.execPath, [file, ...scriptArgs], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
};

// npm passes SIGTERM to the shell between us alone, and that shell ends without passing it on: when it is gone, so are we.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
}, PARENT_CHECK_MS).unref();

if (isIncomplete()) install();
const file = join(root, script);
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 24 || (major === 24 && minor >= 15)) {
  process.argv.splice(1, Number.POSITIVE_INFINITY, file, ...scriptArgs);
  await import(pathToFileURL(file).href);
} else {
  runOnProjectNode(file);
}
