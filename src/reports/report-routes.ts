import { callerOf, type Routes } from '../http/index.ts';
import { NextCursor, PageQuery, Type, toIso } from '../platform/index.ts';
import { weekInvalid } from './errors.ts';
import { ReportFigures } from './figures/figures.ts';
import { toListedReport } from './figures/listed-report.ts';
import type { ReportRow } from './figures/report-store.ts';
import { viewReportDetails } from './reading/view-report-details.ts';
import type { Reports } from './reports.ts';
import { PredatesTeam, RunRow } from './runs/run-reports.ts';
import { slackRoutes } from './slack-routes.ts';
import { unsubscribeRoutes } from './unsubscribe-routes.ts';
import { parseWeek } from './week/week.ts';

const Instant = Type.String({ format: 'date-time' });
const InstantOrNull = Type.Union([Instant, Type.Null()]);
const Count = Type.Integer();

export const ListedReport = Type.Object(
  {
    id: Type.String(),
    week: Type.String(),
    revision: Count,
    timeZone: Type.String(),
    startsAt: Instant,
    endsAt: Instant,
    asOf: Type.String({ format: 'date-time', description: 'When the calls still waiting were counted' }),
    contentHash: Type.String(),
    createdAt: Instant,
    predatesTeam: PredatesTeam,
  },
  { title: 'ListedReport' },
);

/** One week's figures. */
export const ReportDetails = Type.Object({
  ...ListedReport.properties,
  figures: ReportFigures,
  demoCallsLeftOut: Type.Boolean({ description: 'The week has demo calls, which no figure counts' }),
  deliveries: Type.Array(
    Type.Object(
      {
        channel: Type.Enum(['mail', 'slack']),
        state: Type.Enum(['queued', 'sending', 'sent', 'unclear', 'failed', 'unsubscribed', 'skipped']),
        problem: Type.Union([Type.String(), Type.Null()]),
        sentAt: InstantOrNull,
        nextTryAt: InstantOrNull,
      },
      { title: 'ReportDelivery' },
    ),
    {
      description:
        'One for each recipient. `unclear` means it may have arrived, and it is not sent again. `skipped` means there was no one to send it to; `problem` says why.',
    },
  ),
});

const ReportWithEvidence = Type.Object(
  { ...ReportDetails.properties, evidence: Type.Record(Type.String(), Type.String()) },
  { title: 'Report' },
);

/** URLs of the calls behind the figures, with the same filters that the figures use. */
const evidenceOf = ({ startsAt, endsAt }: Pick<ReportRow, 'startsAt' | 'endsAt'>) => {
  const calls = `/api/calls?since=${toIso(startsAt)}&until=${toIso(endsAt)}`;
  const of = (outcome: string) => `${calls}&direction=inbound&outcome=${outcome}`;
  return {
    calls,
    answered: of('answered'),
    missed: of('missed'),
    abandoned: of('abandoned'),
    voicemail: of('voicemail'),
    integrations: '/api/integrations/status',
  };
};

const RunQuery = Type.Object(
  {
    week: Type.Optional(
      Type.String({
        maxLength: 20,
        description: 'A past ISO week, like 2026-W46; also one from before the team was created',
      }),
    ),
    team: Type.Optional(Type.String({ maxLength: 60, description: 'The ID of a single team' })),
    dryRun: Type.Optional(
      Type.Enum(['0', '1', 'true', 'false'], {
        description:
          'Creates and sends nothing. The response has the same shape; `created` counts what would be created, without a `reportId`',
      }),
    ),
  },
  { additionalProperties: false },
);

const RunView = Type.Object(
  {
    runId: Type.String(),
    ...{ created: Count, existing: Count, queued: Count, failed: Count },
    remaining: Type.Integer({
      description: 'Teams that the run had not checked yet when it responded; they follow soon',
    }),
    message: Type.Union([Type.String(), Type.Null()], { description: 'Why there is nothing to report on' }),
    reports: Type.Array(RunRow, { description: 'The first 100' }),
    tookMs: Count,
  },
  { title: 'ReportRun' },
);

const weekRoutes =
  ({ runReports, listReports, getReportDetails }: Reports): Routes =>
  (server) => {
    const tags = ['reports'];

    server.get(
      '/api/cron/weekly-report',
      {
        config: { access: { door: 'cron', whenUnset: 'unavailable' } },
        schema: {
          tags,
          summary: 'Create the weekly reports that are missing',
          description:
            "Covers the last full week in each team's time zone and up to eight weeks before it, but none that ended before the team was created. Call it as often and as late as you like: there is one report per team and week. The service also does this on its own, on the day and hour that each team has chosen (`reportSchedule`), which is Monday at 8:00 unless they change it.",
          querystring: RunQuery,
          response: { 200: RunView },
        },
      },
      async ({ query }) => {
        const week = query.week === undefined ? null : parseWeek(query.week);
        if (query.week !== undefined && week === null) throw weekInvalid();
        const dryRun = query.dryRun === '1' || query.dryRun === 'true';
        return runReports({ week, team: query.team ?? null, dryRun, askedBy: 'cron' });
      },
    );

    server.get(
      '/api/reports',
      {
        config: { access: 'member', right: 'reports' },
        schema: {
          tags,
          summary: "List the team's weekly reports, newest first",
          querystring: PageQuery,
          response: { 200: Type.Object({ reports: Type.Array(ListedReport), nextCursor: NextCursor }) },
        },
      },
      async (request) => {
        const { rows, nextCursor } = await listReports(callerOf(request).teamId, request.query);
        return { reports: rows.map(toListedReport), nextCursor };
      },
    );

    server.get(
      '/api/reports/:week',
      {
        config: { access: 'member', right: 'reports' },
        schema: {
          tags,
          summary: "Get one week's figures, with links to the rows behind them",
          params: Type.Object({ week: Type.String({ maxLength: 20 }) }),
          response: {
            200: ReportWithEvidence,
          },
        },
      },
      async (request) => {
        const details = await getReportDetails(callerOf(request).teamId, request.params.week);
        return { ...viewReportDetails(details), evidence: evidenceOf(details) };
      },
    );
  };

export const reportRoutes = (reports: Reports): readonly Routes[] => [
  weekRoutes(reports),
  slackRoutes(reports),
  unsubscribeRoutes(reports),
];
