import type { Routes } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { weekInvalid } from '../errors.ts';
import { parseWeek } from '../week/week.ts';
import { type RunDependencies, runReports } from './run-reports.ts';

const Query = Type.Object(
  {
    week: Type.Optional(Type.String({ maxLength: 20, description: 'A past ISO week, like 2026-W46' })),
    team: Type.Optional(Type.String({ maxLength: 60, description: 'The id of a single team' })),
    dryRun: Type.Optional(
      Type.Enum(['0', '1', 'true', 'false'], {
        description:
          'Makes and sends nothing. The response has the same shape; `created` counts what would be made, without a `reportId`',
      }),
    ),
  },
  { additionalProperties: false },
);

const Count = Type.Integer();
const Answer = Type.Object({
  runId: Type.String(),
  created: Count,
  existing: Count,
  queued: Count,
  failed: Count,
  reports: Type.Array(
    Type.Object({
      team: Type.String(),
      week: Type.String(),
      state: Type.Enum(['created', 'existing', 'queued', 'failed']),
      reportId: Type.Union([Type.String(), Type.Null()]),
      deliveries: Type.Integer({ description: 'How many recipients it was sent to or is on its way to' }),
    }),
    { description: 'The first 100' },
  ),
  tookMs: Type.Integer(),
});

export const cronRoutes =
  (dependencies: RunDependencies): Routes =>
  (server) => {
    server.get(
      '/api/cron/weekly-report',
      {
        config: { access: { door: 'cron', whenUnset: 'unavailable' } },
        schema: {
          tags: ['reports'],
          summary: 'Make the weekly reports that are missing',
          description:
            "Covers the last full week in each team's time zone and up to eight weeks before it. Call it as often and as late as you like: there is one report per team and week. The service also does this on its own, on Mondays at 8:00.",
          querystring: Query,
          response: { 200: Answer },
        },
      },
      async ({ query }) => {
        const week = query.week === undefined ? null : parseWeek(query.week);
        if (query.week !== undefined && week === null) throw weekInvalid();
        const dryRun = query.dryRun === '1' || query.dryRun === 'true';
        return runReports(dependencies, { week, team: query.team ?? null, dryRun, askedBy: 'cron' });
      },
    );
  };
