import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { SECRETS, type TestApp } from './app.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/patchbay.js');

export type Ran = { code: number | null; stdout: string; stderr: string };

/** Runs a command as an operator would, in a process of its own. */
export const runCommand = (args: readonly string[], env: Record<string, string>): Promise<Ran> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], { env: { PATH: process.env['PATH'] ?? '', ...env } });
    const ran: Ran = { code: null, stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => (ran.stdout += chunk));
    child.stderr.on('data', (chunk) => (ran.stderr += chunk));
    child.on('close', (code) => resolve({ ...ran, code }));
  });

/** The settings of a test application, for a command beside it. */
export const settingsOf = ({ config }: TestApp): Record<string, string> => ({
  ...SECRETS,
  PATCHBAY_DATA: config.data,
  DATABASE_URL: config.databaseUrl?.reveal() ?? '',
});
