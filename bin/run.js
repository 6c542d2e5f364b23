// Runs the npm scripts on any Node from 20 on: installs what the lockfile lists and node_modules lacks, then runs the
// given script on the lockfile's own Node. (npm's "prestart" would be the usual place, but `ignore-scripts=true`
// switches that off.)
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

// If optional packages are omitted (npm's own setting "omit"), the machine's Node is used.
const bringsNode = (process.env.npm_config_omit ?? '').split(/\s+/).includes('optional');
const wanted = readPackages('package-lock.json');
const nodePath = Object.keys(bringsNode ? {} : (wanted['']?.optionalDependencies ?? {}))
  .map((name) => `node_modules/${name}`)
  .find((path) => wanted[path] && fits(wanted[path].os, process.platform) && fits(wanted[path].cpu, process.arch));

// Compares the lockfile with node_modules/.package-lock.json, where npm lists what it has installed. npm may leave out
// optional packages, except for this platform's Node. Those that it did install must have the lockfile's version, too.
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
  // Use the npm that runs this script, on its own Node. The Node inside node_modules can't be used, because npm ci
  // replaces it.
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

// Don't use the link in node_modules/.bin: npm 9, which Debian has, removes it together with a Node of another
// platform.
const projectNode = join(root, nodePath ?? '', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

const runOnProjectNode = (file) => {
  const child = spawn(projectNode, [file, ...scriptArgs], { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
};

// End when the parent is gone. npm passes SIGTERM only to the shell between npm and this process, and that shell ends
// without passing it on.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
}, PARENT_CHECK_MS).unref();

if (isIncomplete()) install();
const file = join(root, script);
// After an install, this process may still run on the machine's Node.
if (nodePath && wanted[nodePath].version !== process.versions.node && existsSync(projectNode)) {
  runOnProjectNode(file);
} else {
  process.argv.splice(1, Number.POSITIVE_INFINITY, file, ...scriptArgs);
  await import(pathToFileURL(file).href);
}
