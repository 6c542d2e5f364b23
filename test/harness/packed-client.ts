import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { makeTestDirectory } from './test-directory.ts';

const CLIENT = resolve('packages/client');
const MODULES = resolve('node_modules');
const WITHIN_MS = 60_000;

const runFile = promisify(execFile);

export const run = async (command: string, args: readonly string[], cwd: string, env: Record<string, string> = {}) => {
  const options = { cwd, timeout: WITHIN_MS, env: { ...process.env, ...env } };
  const { stdout } = await runFile(command, args, options).catch((error) =>
    assert.fail(`${command} ${args.join(' ')}: ${error.message}\n${error.stdout}`),
  );
  return stdout;
};

const tsc = (cwd: string, ...args: string[]) => run(join(MODULES, '.bin/tsc'), args, cwd);

/** The machine's own Node, if it's another one than ours. */
export const findOtherNode = async (): Promise<string | null> => {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const [version = '', path = ''] = (
    await runFile('node', ['-p', 'process.version + " " + process.execPath'], {
      env: { PATH: folders.join(delimiter) },
    }).catch(() => ({ stdout: '' }))
  ).stdout
    .trim()
    .split(' ');
  return /^v\d+/.test(version) && version !== process.version ? path : null;
};

const STRICT = { strict: true, module: 'nodenext', target: 'es2022', skipLibCheck: false };

/** An empty project into which the packed client is installed, without a network. */
export const installPackedClient = async () => {
  const { path, remove } = makeTestDirectory('patchbay-client-');
  const project = join(path, 'project');
  mkdirSync(project);
  const pack = ['pack', CLIENT, '--json', '--offline', '--pack-destination', path];
  const [{ filename, files }] = JSON.parse(await run('npm', pack, path));
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(path, filename)], project);

  return {
    project,
    files: files.map((file: { path: string }) => file.path) as string[],
    read: (file: string): string => readFileSync(join(project, 'node_modules/@patchbay/client', file), 'utf8'),
    /** Another package of ours, as if it had been installed too. */
    lend(name: string): void {
      mkdirSync(join(project, 'node_modules', name, '..'), { recursive: true });
      symlinkSync(join(MODULES, name), join(project, 'node_modules', name));
    },
    write: (file: string, text: string): void => writeFileSync(join(project, file), text),
    /** Checks these files strictly, and leaves the JavaScript beside them. */
    async compile(files: readonly string[], options: object): Promise<void> {
      const config = { compilerOptions: { ...STRICT, ...options }, files };
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
      await tsc(project, '-p', '.');
    },
    close: remove,
  };
};
