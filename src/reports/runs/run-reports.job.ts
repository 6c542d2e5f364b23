import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import type { ReportsContext } from '../context.ts';
import { deleteRunsBefore } from '../figures/report-store.ts';
import { runReports } from './run-reports.ts';

/** Runs at fixed quarter hours, because hours in every time zone begin at one of them. */
export const RUN_INTERVAL = { everyMs: 15 * 60_000, isOnTheClock: true };
const RUNS_KEPT_MS = 90 * 24 * 3_600_000;

/** Runs reports on a schedule. An external cron works too, but isn't needed. */
export const runReportsJob = defineJob({ name: 'run-reports', payload: Type.Object({}), attempts: 1 });

export const handleRunReports = async (context: ReportsContext): Promise<void> => {
  const { database, clock } = context;
  await runReports(context, { askedBy: 'service' });
  await deleteRunsBefore(database, clock.now() - RUNS_KEPT_MS);
};
