import type { Jobs } from '../../jobs/index.ts';
import { type Clock, type Database, type Queries, toIso } from '../../platform/index.ts';
import type { BackupAlerts } from './backup-alerts.ts';
import { getFirstBegun, getLastBackup, getLastProblem, type LastBackup } from './backup-store.ts';
import { CHECK_EVERY_MS, checkBackupsJob, makeBackupJob } from './make-backup.job.ts';
import type { RunCommand } from './run-command.ts';

/** `directory` is null for the bucket. */
type BackupSchedule = { directory: string | null; everyMs: number; keep: number };

type BackupState = {
  /** The newest completed backup. */
  last: LastBackup | null;
  isOverdue: boolean;
  /** Why the newest attempt failed. */
  problem: string | null;
};

const HOUR_MS = 3_600_000;

/** A backup is overdue one and a half intervals and an hour after the last one. */
const overdueAfterMs = ({ everyMs }: BackupSchedule): number => 1.5 * everyMs + HOUR_MS;

/** Reads the state. Until a backup is completed, `isOverdue` depends on when the first one was begun. */
const getBackupState = async (queries: Queries, schedule: BackupSchedule, now: number): Promise<BackupState> => {
  const last = (await getLastBackup(queries, now)) ?? null;
  const since = last?.endedAt ?? (await getFirstBegun(queries));
  const isOverdue = since !== null && now - since > overdueAfterMs(schedule);
  return { last, isOverdue, problem: await getLastProblem(queries) };
};

type ScheduledContext = {
  jobs: Jobs;
  database: Database;
  clock: Clock;
  /** Opens an alert. `makeBackup` resolves it, whether the schedule or a person runs it. */
  alerts: Pick<BackupAlerts, 'open'>;
  run: RunCommand;
};

/** Makes backups on a schedule. If several processes run, only one of them makes each backup. */
export const scheduleBackups = ({ jobs, database, clock, alerts, run }: ScheduledContext, schedule: BackupSchedule) => {
  const getState = (): Promise<BackupState> => getBackupState(database, schedule, clock.now());

  jobs.handle(makeBackupJob, async (_payload, { attempt, signal }) => {
    const problem = await run(['backup', 'now'], signal);
    if (problem === null) return;
    if (attempt >= makeBackupJob.attempts) await alerts.open({ reason: 'failed', problem });
    throw new Error(problem);
  });
  jobs.every(makeBackupJob, { everyMs: schedule.everyMs, isOnTheClock: true });
  jobs.handle(checkBackupsJob, async () => {
    const { last, isOverdue } = await getState();
    if (!isOverdue) return;
    const problem = last ? `The last one was completed at ${toIso(last.endedAt)}.` : 'None was completed yet.';
    await alerts.open({ reason: 'overdue', problem });
  });
  jobs.every(checkBackupsJob, { everyMs: CHECK_EVERY_MS });
  return { directory: schedule.directory, getState };
};
