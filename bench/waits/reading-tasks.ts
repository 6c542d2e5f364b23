import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN, DEBUG_TOKEN } from '../service/place.ts';
import { runCommand } from '../service/run-command.ts';
import type { Task } from './measure-task.ts';
import { SIZE } from './size.ts';
import type { Stage } from './stage.ts';

const SLOW_PAUSE_MS = 50;

const ask = async (stage: Stage, path: string, init: RequestInit): Promise<Response> => {
  const response = await fetch(`${stage.service.url}${path}`, init);
  if (response.status !== 200) throw new Error(`${path} answers ${response.status}`);
  return response;
};

const get = (name: string, path: string, headers: Record<string, string> = ADMIN): Task => ({
  name,
  repeats: true,
  run: async (stage, signal) => void (await (await ask(stage, path, { headers, signal })).text()),
});

const exportCalls = (name: string, pauseMs: number): Task => ({
  name: `CSV of the newest 100,000 calls, ${name}`,
  async run(stage, signal) {
    const headers = { ...ADMIN, accept: 'text/csv' };
    const response = await ask(stage, '/api/calls', { headers, signal });
    let lines = 0;
    for await (const chunk of response.body ?? []) {
      lines += Buffer.from(chunk).toString('latin1').split('\n').length - 1;
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal });
    }
    if (lines < SIZE.opened) throw new Error(`the file has ${lines} lines`);
  },
});

const signIn = async ({ settings, service }: Stage, signal: AbortSignal): Promise<string> => {
  const printed = await runCommand(settings, ['user', 'link', 'admin@localhost', '--json'], { signal });
  const { link } = JSON.parse(printed) as { link: { address: string } };
  const { pathname } = new URL(link.address);
  const response = await fetch(`${service.url}${pathname}`, { method: 'POST', redirect: 'manual', signal });
  const cookie = response.headers.getSetCookie().find((line) => line.startsWith('patchbay_session='));
  if (!cookie) throw new Error(`the sign-in link answers ${response.status}`);
  return cookie.split(';')[0] ?? '';
};

const showPage = (name: string, path: string): Task => {
  const cookies = new WeakMap<Stage, string>();
  return {
    name,
    repeats: true,
    async run(stage, signal) {
      const cookie = cookies.get(stage) ?? (await signIn(stage, signal));
      cookies.set(stage, cookie);
      await (await ask(stage, path, { headers: { cookie }, signal })).text();
    },
  };
};

const runDoctor: Task = {
  name: 'doctor, as a command',
  repeats: true,
  run: async ({ settings }, signal) => void (await runCommand(settings, ['doctor'], { signal, mayFail: true })),
};

/** Tasks that only read. */
export const readingTasks: readonly Task[] = [
  exportCalls('read quickly', 0),
  exportCalls('read slowly', SLOW_PAUSE_MS),
  get('calls from a number that never called', `/api/calls?from=${encodeURIComponent('+15550009999')}`),
  get('calls that still wait to be returned', '/api/calls?waiting=true'),
  get('calls with an outcome that none has', '/api/calls?outcome=rejected'),
  get('audit list', '/api/audit?limit=100'),
  showPage('first page of the dashboard', '/'),
  showPage('page of calls', '/calls'),
  get('GET /api/debug/db', '/api/debug/db', { authorization: `Bearer ${DEBUG_TOKEN}` }),
  runDoctor,
];
