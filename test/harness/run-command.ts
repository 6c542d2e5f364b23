import { type ChildProcess, fork, spawn } from 'node:child_process';
import { join } from 'node:path';
import { SECRETS, type TestApp } from './app.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/patchbay.js');
const COMMANDS = join(import.meta.dirname, 'commands.child.ts');

export type Asked = { args: readonly string[]; env: Record<string, string> };
export type Ran = { code: number | null; stdout: string; stderr: string };

const withPath = (env: Record<string, string>): Record<string, string> => ({ PATH: process.env['PATH'] ?? '', ...env });

/** Runs a command as an operator would, in a separate process. */
export const runProgram = (args: readonly string[], env: Record<string, string>, input?: string): Promise<Ran> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], { env: withPath(env) });
    if (input !== undefined) child.stdin.end(input);
    const ran: Ran = { code: null, stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => (ran.stdout += chunk));
    child.stderr.on('data', (chunk) => (ran.stderr += chunk));
    child.on('close', (code) => resolve({ ...ran, code }));
  });

/** Does not keep the tests from ending. */
const startRunner = (): ChildProcess => {
  const runner = fork(COMMANDS, { stdio: 'inherit' });
  runner.unref();
  runner.channel?.unref();
  return runner;
};

const askRunner = (runner: ChildProcess, asked: Asked): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error(`The process that runs commands has ended: ${asked.args.join(' ')}`));
    runner.channel?.ref();
    runner.once('exit', ended);
    runner.once('message', (ran: Ran) => {
      runner.off('exit', ended);
      runner.channel?.unref();
      resolve(ran);
    });
    runner.send(asked);
  });

const createRunner = () => {
  let runner: ChildProcess | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return (asked: Asked): Promise<Ran> => {
    const ran = last.then(() => {
      if (runner?.connected !== true) runner = startRunner();
      return askRunner(runner, asked);
    });
    last = ran.catch(() => undefined);
    return ran;
  };
};

const run = createRunner();

/** Runs a command outside the test, in a process that is reused. */
export const runCommand = (args: readonly string[], env: Record<string, string>): Promise<Ran> =>
  run({ args, env: withPath(env) });

/** The settings of a test application, for a command that uses the same database. */
export const settingsOf = ({ config }: TestApp): Record<string, string> => ({
  ...SECRETS,
  PATCHBAY_DATA: config.data,
  DATABASE_URL: config.databaseUrl?.reveal() ?? '',
});
