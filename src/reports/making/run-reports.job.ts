import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import { deleteRunsBefore } from '../figures/report-store.ts';
import { type RunDependencies, runReports } from './run-reports.ts';

/** Often enough that Monday at eight is Monday at eight in every zone. */
export const RUN_EVERY_MS = 15 * 60_000;
const RUNS_KEPT_MS = 90 * 24 * 3_600_000;

/** An outside cron is welcome, and not needed. */
export const runReportsJob = defineJob({ name: 'run-reports', payload: Type.Object({}), attempts: 1 });

export const handleRunReports = (dependencies: RunDependencies) => async (): Promise<void> => {
  const { database, clock } = dependencies;
  await runReports(dependencies, { week: null, team: null, dryRun: false, askedBy: 'service' });
  await deleteRunsBefore(database, clock.now() - RUNS_KEPT_MS);
};
