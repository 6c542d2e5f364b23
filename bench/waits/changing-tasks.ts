import { setTimeout as sleep } from 'node:timers/promises';
import { lastFinishedWeek } from '../../src/reports/week/week.ts';
import { CRON_SECRET, count } from '../service/place.ts';
import { runCommand } from '../service/run-command.ts';
import { idsOf, SPANS } from './fill-large-store.ts';
import type { Task } from './measure-task.ts';
import { openRawDatabase } from './raw-database.ts';
import { ERASED_NUMBER, PAYLOAD_DAYS, SIZE } from './size.ts';
import { type Stage, waitUntil } from './stage.ts';
import { PROVIDER } from './token-server.ts';

const WEEK = lastFinishedWeek(Date.now(), 'UTC');
const CHECKPOINT_EVERY_MS = 500;

export const refreshConnections: Task = {
  name: `refresh of ${SIZE.connections.toLocaleString('en')} connections that are due`,
  async run({ app }, signal) {
    await app.database.run('update connections set refresh_due_at = 1 where provider = $1', [PROVIDER]);
    await waitUntil(async () => (await count(app, 'connections where refresh_due_at = 1')) === 0, signal);
    const refreshed = await count(app, 'connections where refreshed_at is not null');
    if (refreshed !== SIZE.connections) throw new Error(`${refreshed} were refreshed`);
  },
};

const DAY_MS = 24 * 3_600_000;
const OLD_PAYLOADS = `deliveries where payload is not null and state <> 'received' and received_at < $1`;

export const pruneTelephony: Task = {
  name: 'pruning of payloads and old recordings',
  async run({ app }, signal) {
    const before = Date.now() - PAYLOAD_DAYS * DAY_MS;
    const removed = await count(app, `recordings where state = 'removed'`);
    await app.database.run(`update recurring_jobs set next_at = 1 where name = 'prune-telephony'`);
    // Wait for the payloads first, because the job prunes a team's recordings after its payloads.
    await waitUntil(async () => (await count(app, OLD_PAYLOADS, [before])) === 0, signal);
    let last = removed;
    await waitUntil(async () => {
      await sleep(500);
      const now = await count(app, `recordings where state = 'removed'`);
      const isOver = now === last && now > removed;
      last = now;
      return isOver;
    }, signal);
  },
};

export const eraseNumber: Task = {
  name: `erasing a number with ${SIZE.erased.toLocaleString('en')} calls, as a command`,
  async run({ settings, line }, signal) {
    const args = ['telephony', 'erase', ERASED_NUMBER, '--team', line.teamId, '--yes', '--json'];
    const { calls } = JSON.parse(await runCommand(settings, args, { signal })) as { calls: number };
    if (calls < SIZE.erased) throw new Error(`${calls} calls were erased`);
  },
};

/** The tables with the most rows. Once these have no rows of the team left, the others don't, either. */
const LARGE_TABLES = ['calls', 'call_events', 'deliveries', 'recordings'];

export const deleteTeam: Task = {
  name: `deleting a team with ${SIZE.deleted.toLocaleString('en')} calls`,
  longestMs: 4 * SIZE.longestMs,
  async run({ settings, app }, signal) {
    const [first] = idsOf(SPANS.deleted);
    const call = await app.database.get<{ team: string }>('select team_id as team from calls where id = $1', [first]);
    const team = call?.team ?? '';
    await runCommand(settings, ['team', 'delete', team, '--yes'], { signal });
    for (const table of LARGE_TABLES) {
      const text = `(select 1 from ${table} where team_id = $1 limit 1) as left_over`;
      await waitUntil(async () => (await count(app, text, [team])) === 0, signal);
    }
  },
};

export const checkpoint: Task = {
  name: 'checkpoints of the database',
  repeats: true,
  async run({ settings }, signal) {
    const raw = await openRawDatabase(settings);
    await raw.run(settings.DATABASE_URL === undefined ? 'pragma wal_checkpoint(restart)' : 'checkpoint');
    await raw.close();
    await sleep(CHECKPOINT_EVERY_MS, undefined, { signal });
  },
};

export const rotateKeys: Task = {
  name: `key rotation of ${SIZE.teams.toLocaleString('en')} teams, as a command`,
  async run({ settings, app }, signal) {
    await runCommand(settings, ['keys', 'rotate'], { signal });
    const rings = await app.database.all('select distinct ring_key_id from team_keys');
    if (rings.length !== 1) throw new Error('some keys were not rotated');
  },
};

/** Requests reports. The response doesn't wait for all of them, so the tasks wait until they are stored. */
const runCron = async ({ service }: Stage, query: string, signal: AbortSignal): Promise<void> => {
  const headers = { authorization: `Bearer ${CRON_SECRET}` };
  const path = `/api/cron/weekly-report?week=${WEEK}${query}`;
  const response = await fetch(`${service.url}${path}`, { headers, signal });
  if (response.status !== 200) throw new Error(`${path} answers ${response.status}`);
};

export const reportOfLargeTeam: Task = {
  name: 'weekly report of the team with most calls',
  async run(stage, signal) {
    await runCron(stage, `&team=${stage.line.teamId}`, signal);
    const text = 'reports where team_id = $1 and week = $2';
    await waitUntil(async () => (await count(stage.app, text, [stage.line.teamId, WEEK])) > 0, signal);
  },
};

/** The command may fail, because a call that arrived late makes a difference. That isn't a failure of the task. */
export const verifyReport: Task = {
  name: 'report verify of that team, as a command',
  async run({ settings, line }, signal) {
    const args = ['report', 'verify', '--team', line.teamId, '--week', WEEK, '--json'];
    const printed = await runCommand(settings, args, { signal, mayFail: true });
    if (!printed.includes('"isEqual"')) throw new Error('it did not come to a result');
  },
};

export const reportsOfAllTeams: Task = {
  name: `weekly reports of ${SIZE.teams.toLocaleString('en')} teams`,
  longestMs: 4 * SIZE.longestMs,
  async run(stage, signal) {
    await runCron(stage, '', signal);
    await waitUntil(async () => (await count(stage.app, 'reports where week = $1', [WEEK])) > SIZE.teams, signal);
  },
};
