import { createJobs, type Jobs, type JobsContext } from '../../src/jobs/index.ts';
import { createLog, createNewId, type Database, openDatabase, systemClock } from '../../src/platform/index.ts';
import type { TestStore } from './databases.ts';

export type TestJobs = Jobs & { database: Database; close(): Promise<void> };

/** One process's view of a store: its connections and its jobs, polled quickly and not yet started. */
export const openTestJobs = (
  { settings }: Pick<TestStore, 'settings'>,
  overrides: Partial<JobsContext> = {},
): TestJobs => {
  const database = openDatabase(settings, () => undefined);
  const jobs = createJobs({
    database,
    clock: systemClock,
    newId: createNewId(systemClock),
    log: createLog({ level: 'silent', secrets: [], shapes: [] }),
    pollMs: 20,
    ...overrides,
  });
  return {
    ...jobs,
    database,
    async close() {
      await jobs.stop({ drainMs: 0 });
      await database.close();
    },
  };
};
