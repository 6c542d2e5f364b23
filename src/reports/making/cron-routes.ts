import type { Routes } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { weekInvalid } from '../errors.ts';
import { parseWeek } from '../week/week.ts';
import { type RunDependencies, runReports } from './run-reports.ts';

const Query = Type.Object(
  {
    week: Type.Optional(Type.String({ maxLength: 20, description: 'An ISO week that is over, like 2026-W46' })),
    team: Type.Optional(Type.String({ maxLength: 60, description: 'The id of one team' })),
    dryRun: Type.Optional(
      Type.Enum(['0', '1', 'true', 'false'], {
        description:
          'Nothing is made or sent. The answer has the same shape: `created` is then what would be made, without a `reportId`',
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
      deliveries: Type.Integer({ description: 'To how many recipients it is on its way or was sent' }),
    }),
    { description: 'The first hundred' },
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
            "The last week that is over in each team's own zone, and up to eight earlier ones. May be called as often and as late as one likes: there is one report for a team and week. The service also does it by itself, on Monday at eight.",
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
