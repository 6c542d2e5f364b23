import type { App } from '../../src/app.ts';

/** Records that these calls of a team have started, all of them at once. */
export const startCalls = (
  { database, events }: Pick<App, 'database' | 'events'>,
  teamId: string,
  subjects: readonly string[],
): Promise<unknown> =>
  database.transaction((tx) =>
    events.record(
      tx,
      ...subjects.map((subject) => ({ teamId, type: 'call.started' as const, subject, data: { subject } })),
    ),
  );
