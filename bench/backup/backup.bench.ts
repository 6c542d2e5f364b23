import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lowerPriority } from '../../src/archive/scheduled/run-command.ts';
import { alternatePeers, pick } from '../alternate-peers.ts';
import type { Result, Tools } from '../benchmark.ts';
import { type EngineChoice, onBothEngines } from '../both-engines.ts';
import { pickSize } from '../pick-size.ts';
import { count, makeSettings, openBeside, type Settings } from '../service/place.ts';
import { setUpLine } from '../service/set-up-line.ts';
import { PROGRAM, startService } from '../service/start-service.ts';
import { summarize } from '../summarize.ts';
import { sendCalls } from '../telephony/load-line.ts';
import { timeLine } from '../telephony/open-loop.ts';
import { fillWithDeliveries } from './fill-with-deliveries.ts';

const DELIVERIES = pickSize({ full: 1_000_000, small: 5_000 });
const ROUNDS = pickSize({ full: 5, small: 1 });
const ROUND_MS = pickSize({ full: 5_000, small: 1_000 });
const MOST_CALLS = 100_000;
/** How long to wait before measuring. By then, the backup has opened its snapshot and is reading the largest table. */
const UNDER_WAY_MS = pickSize({ full: 4_000, small: 0 });
const LEAST_RATIO = 0.9;
const MOST_DELAY_MS = 50;

/** Runs a backup in a process of its own, as the schedule does, until it's stopped. */
const startBackup = (settings: Settings) => {
  const file = join(settings.PATCHBAY_DATA, 'copy.zst');
  const child = spawn(process.execPath, [PROGRAM, 'backup', file], {
    cwd: settings.PATCHBAY_DATA,
    env: { ...settings },
    stdio: 'ignore',
  });
  lowerPriority(child);
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    isRunning,
    async stop(): Promise<void> {
      if (isRunning()) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      for (const path of [file, `${file}.part`]) rmSync(path, { force: true });
    },
  };
};

const measure = async (tools: Tools, { title: engine, databaseUrl }: EngineChoice): Promise<Result[]> => {
  const { cleanUp, signal, note } = tools;
  const settings = await makeSettings(databaseUrl, cleanUp);
  const service = await startService(settings, cleanUp);
  const line = await setUpLine(service);
  await fillWithDeliveries(settings, line, DELIVERIES);
  const app = openBeside(settings, cleanUp);

  /** Waits until all deliveries are processed, so that the next measurement doesn't include them. */
  const settle = async (): Promise<void> => {
    while ((await count(app, "deliveries where state = 'received'")) > 0) await sleep(100, undefined, { signal });
  };

  const beside = async <Sample>(work: () => Promise<Sample>): Promise<Sample> => {
    const backup = startBackup(settings);
    try {
      await sleep(UNDER_WAY_MS, undefined, { signal });
      const sample = await work();
      if (!backup.isRunning()) note('a backup was over before the measurement was');
      return sample;
    } finally {
      await backup.stop();
      await settle();
    }
  };
  const alone = async <Sample>(work: () => Promise<Sample>): Promise<Sample> => work().finally(settle);

  const send = async (): Promise<number> => {
    const { acknowledged, ms } = await sendCalls(line, MOST_CALLS, ROUND_MS);
    return (acknowledged / ms) * 1_000;
  };
  await alone(send);
  const plan = { warmUps: 0, rounds: ROUNDS, signal };
  const sent = await alternatePeers({ ours: () => beside(send), peer: () => alone(send) }, plan);
  const rate = summarize(sent.peer).median / 2;
  const time = () => timeLine(line, rate);
  const timed = await alternatePeers({ ours: () => beside(time), peer: () => alone(time) }, plan);
  const later = (part: 'p99' | 'longest'): number[] =>
    timed.ours.map((sample, round) => sample[part] - (timed.peer[round]?.[part] ?? 0));
  const title = `signed voice POST on ${engine}, beside a backup of ${DELIVERIES.toLocaleString('en')} deliveries`;
  const names = { ours: 'with a backup', peer: 'without' };
  return [
    {
      ...{ kind: 'comparison', title: `${title}: calls a second`, unit: 'a second', ...names, rounds: sent },
      goal: { atLeast: LEAST_RATIO },
    },
    {
      ...{ kind: 'comparison', title: `${title}: p99 at half of the highest rate`, unit: 'ms', ...names },
      ...{ rounds: pick(timed, ({ p99 }) => p99), goal: null },
    },
    {
      ...{ kind: 'reading', title: `${title}: how much later the p99 is`, unit: 'ms', values: later('p99') },
      goal: { atMost: MOST_DELAY_MS },
    },
    { kind: 'reading', title: `${title}: how much longer the longest takes`, unit: 'ms', values: later('longest') },
  ];
};

export const [backupSqlite, backupPostgresql] = onBothEngines({
  name: 'backup',
  about: 'what a backup of a gigabyte costs those who call meanwhile',
  longestMs: 1_800_000,
  run: measure,
});
