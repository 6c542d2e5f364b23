import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const NODE_PACKAGES = Object.keys(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).optionalDependencies);
const OURS = 'node-of-this-platform';
const OTHERS = 'node-of-another-platform';
const SCRIPT = "console.log('ran on', process.env.FAKE_NODE ?? process.versions.node);";

type Packages = Record<string, { version: string; [field: string]: unknown }>;

// The stand-in for Node is a shell script.
describe('npm start, after the lockfile got another Node', {
  skip: process.platform === 'win32' && 'The stand-in for Node is a shell script.',
}, () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'patchbay-run-'));
    write('package.json', JSON.stringify({ type: 'module' }));
    mkdirSync(join(directory, 'bin'));
    copyFileSync(join(ROOT, 'bin/run.js'), join(directory, 'bin/run.js'));
    write('script.js', SCRIPT);
    write(
      'npm.js',
      "import { writeFileSync } from 'node:fs'; writeFileSync('installed', process.argv.slice(2).join(' '));",
    );
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const write = (file: string, content: string): void => {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), content);
  };
  const packagesWith = (version: string, others: Packages = {}): Packages => ({
    [`node_modules/${OURS}`]: { version, optional: true, os: process.platform, cpu: [process.arch] },
    ...others,
  });
  const lock = (packages: Packages): void => {
    const root = { optionalDependencies: { [OURS]: '*', [OTHERS]: '*' } };
    const elsewhere = { version: '24.21.0', optional: true, os: ['aix'], cpu: process.arch };
    write(
      'package-lock.json',
      JSON.stringify({ packages: { '': root, [`node_modules/${OTHERS}`]: elsewhere, ...packages } }),
    );
  };
  const install = (packages: Packages): void => write('node_modules/.package-lock.json', JSON.stringify({ packages }));
  const putNode = (version: string): void => {
    const file = `node_modules/${OURS}/bin/node`;
    write(file, `#!/bin/sh\nFAKE_NODE=${version} exec "${process.execPath}" "$@"\n`);
    chmodSync(join(directory, file), 0o755);
  };
  const run = (env: Record<string, string> = {}) => {
    const { stdout, stderr } = spawnSync(process.execPath, [join(directory, 'bin/run.js'), 'script.js'], {
      cwd: directory,
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'] ?? '',
        npm_execpath: join(directory, 'npm.js'),
        npm_node_execpath: process.execPath,
        ...env,
      },
    });
    return { ran: /ran on (\S+)/.exec(stdout)?.[1], stderr, installed: existsSync(join(directory, 'installed')) };
  };

  test('installs it and runs on it', () => {
    lock(packagesWith('24.99.0'));
    install(packagesWith('24.21.0'));
    putNode('24.99.0');
    const { installed, ran } = run();
    assert.ok(installed, 'npm ci was run.');
    assert.equal(ran, '24.99.0', 'Not on the Node that was there before.');
  });

  test('installs it if it was missing', () => {
    lock(packagesWith('24.99.0'));
    install({});
    putNode('24.99.0');
    assert.ok(run().installed);
  });

  test('installs nothing if everything matches the lockfile', () => {
    lock(packagesWith(process.versions.node));
    install(packagesWith(process.versions.node));
    putNode('not needed');
    assert.deepEqual(run(), { ran: process.versions.node, stderr: '', installed: false });
  });

  test('installs any other optional package that is present in another version', () => {
    const optional = (version: string) => ({ 'node_modules/native': { version, optional: true } });
    lock(packagesWith(process.versions.node, optional('2.0.0')));
    install(packagesWith(process.versions.node));
    assert.ok(!run().installed, 'One that npm has left out is not waited for.');
    install(packagesWith(process.versions.node, optional('1.0.0')));
    assert.ok(run().installed);
  });

  test('leaves Node alone if the operator brings another', () => {
    lock(packagesWith('24.99.0'));
    install({});
    assert.deepEqual(run({ npm_config_omit: 'optional' }), {
      ran: process.versions.node,
      stderr: '',
      installed: false,
    });
  });
});

describe('the check of where Node comes from', () => {
  const check = (change: (locked: Record<string, unknown>) => void): string => {
    const directory = mkdtempSync(join(tmpdir(), 'patchbay-check-'));
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
    change(lock.packages[`node_modules/${NODE_PACKAGES.at(-1)}`]);
    writeFileSync(join(directory, 'package-lock.json'), JSON.stringify(lock));
    copyFileSync(join(ROOT, 'package.json'), join(directory, 'package.json'));
    const ran = spawnSync(process.execPath, [join(ROOT, 'scripts/check-node.ts')], {
      cwd: directory,
      encoding: 'utf8',
    });
    rmSync(directory, { recursive: true });
    assert.equal(ran.status, ran.stderr === '' ? 0 : 1);
    return ran.stderr;
  };

  test('passes for the current lockfile', () => {
    assert.equal(NODE_PACKAGES.length, 5);
    assert.equal(
      check(() => undefined),
      '',
    );
  });

  test('refuses another major version, unpinned bytes, another source, and an install script', () => {
    assert.match(
      check((locked) => Object.assign(locked, { version: '25.1.0' })),
      /do not have the same Node: 24, 25/,
    );
    assert.match(
      check((locked) => Object.assign(locked, { integrity: 'sha1-x' })),
      /has no sha512 digest/,
    );
    assert.match(
      check((locked) => Object.assign(locked, { resolved: 'https://elsewhere.example/node.tgz' })),
      /not from the registry/,
    );
    assert.match(
      check((locked) => Object.assign(locked, { hasInstallScript: true })),
      /wants to run a script/,
    );
  });
});
