// What every npm script goes through, on whatever Node the machine has (20 or newer): installs what the lockfile asks
// for and node_modules lacks, then runs the script given on the Node of the lockfile.
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

const fits = (allowed, own) => allowed === undefined || [allowed].flat().includes(own);

// Whoever omits optional packages (npm's own setting "omit") brings a Node of their own.
const bringsNode = (process.env.npm_config_omit ?? '').split(/\s+/).includes('optional');
const wanted = readPackages('package-lock.json');
const nodePath = Object.keys(bringsNode ? {} : (wanted['']?.optionalDependencies ?? {}))
  .map((name) => `node_modules/${name}`)
  .find((path) => wanted[path] && fits(wanted[path].os, process.platform) && fits(wanted[path].cpu, process.arch));

// npm keeps in node_modules/.package-lock.json what it has really installed. Of optional packages it may have left out
// all but the Node of this platform; those that are there must be as the lockfile says too.
const isIncomplete = () => {
  const installed = readPackages('node_modules/.package-lock.json');
  const isNeeded = (path, { optional, devOptional, dev }) => {
    if (optional || devOptional) return path === nodePath || path in installed;
    return wantsDev || !dev;
  };
  return Object.entries(wanted).some(
    ([path, entry]) => path !== '' && installed[path]?.version !== entry.version && isNeeded(path, entry),
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

// Not the link in node_modules/.bin: npm 9, which Debian has, removes it together with a Node of another platform.
const projectNode = join(root, nodePath ?? '', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

const runOnProjectNode = (file) => {
  const child = spawn(projectNode, [file, ...scriptArgs], { stdio: 'inherit' });
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
// After an install this process may still be the Node that was there before.
if (nodePath && wanted[nodePath].version !== process.versions.node && existsSync(projectNode)) {
  runOnProjectNode(file);
} else {
  process.argv.splice(1, Number.POSITIVE_INFINITY, file, ...scriptArgs);
  await import(pathToFileURL(file).href);
}
