// Runs before every npm script, on whatever Node the machine has (20 or newer): installs what the lockfile asks for and
// node_modules lacks, so that `npm start` and `npm test` work on a fresh clone.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const wantsDev = process.argv.includes('--dev');

const readPackages = (file) => {
  const path = `${root}${file}`;
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : {};
};

// npm keeps in node_modules/.package-lock.json what it has really installed. Optional packages are left out of the
// comparison, since those of other platforms are never there.
const findMissing = () => {
  const installed = readPackages('node_modules/.package-lock.json');
  return Object.entries(readPackages('package-lock.json')).filter(
    ([path, wanted]) =>
      path !== '' &&
      !wanted.optional &&
      !wanted.devOptional &&
      (wantsDev || !wanted.dev) &&
      installed[path]?.version !== wanted.version,
  );
};

if (findMissing().length > 0) {
  process.stderr.write('Installing dependencies (npm ci), once…\n');
  // The npm that runs this script, on the Node that runs npm: never the Node inside node_modules, which npm ci replaces.
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  const [command, ...args] = npm && node ? [node, npm, 'ci'] : ['npm', 'ci'];
  if (wantsDev) args.push('--include=dev');
  const { status, error } = spawnSync(command, [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (error || status !== 0) {
    process.stderr.write('The install failed: run "npm ci" by hand to see why, then try again.\n');
    process.exit(1);
  }
}
