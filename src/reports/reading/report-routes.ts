import { callerOf, type Routes } from '../../http/index.ts';
import { type Database, NextCursor, PageQuery, readPage, Type, toIso, toIsoOrNull } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import { cursorInvalid } from '../errors.ts';
import { findReport } from '../figures/find-report.ts';
import { openNamedFigures } from '../figures/name-waiting.ts';
import { listReports, type ReportRow } from '../figures/report-store.ts';
import { listReportDeliveries } from '../ledger/report-delivery-store.ts';

const WEEK = /^2\d{3}-W\d{2}$/;

const Instant = Type.String({ format: 'date-time' });
const InstantOrNull = Type.Union([Instant, Type.Null()]);
const Count = Type.Integer();
const CountOrNull = Type.Union([Count, Type.Null()]);
const Text = Type.Union([Type.String(), Type.Null()]);
const Compared = Type.Object({ value: Count, before: CountOrNull });

const listed = {
  id: Type.String(),
  week: Type.String(),
  revision: Count,
  timeZone: Type.String(),
  startsAt: Instant,
  endsAt: Instant,
  asOf: Type.String({ format: 'date-time', description: 'When the calls still waiting were counted' }),
  contentHash: Type.String(),
  createdAt: Instant,
};

const Figures = Type.Object({
  calls: Type.Object({ inbound: Compared, outbound: Compared }),
  outcomes: Type.Object({
    answered: Compared,
    missed: Compared,
    abandoned: Compared,
    voicemail: Compared,
    other: Compared,
  }),
  missedPercent: Type.Union([Type.Number(), Type.Null()]),
  secondsToAnswer: Type.Union([Type.Object({ median: Count, p90: Count }), Type.Null()]),
  talkSeconds: Compared,
  heat: Type.Array(Type.Array(CountOrNull), { description: 'Monday first; null for an hour that the clocks skipped' }),
  missedByHours: Type.Union([Type.Object({ inside: Count, outside: Count }), Type.Null()]),
  unreturned: Type.Object({
    total: Count,
    oldest: Type.Array(Type.Object({ callId: Type.String(), from: Text, at: Instant, outcome: Type.String() })),
  }),
  callers: Type.Object({ firstTime: Count, repeat: Count, total: Count }),
  numbers: Type.Array(Type.Object({ number: Text, label: Text, calls: Count, answered: Count, missed: Count })),
  recordings: Type.Object({ made: Count, archived: Count, failed: Count }),
  integrations: Type.Array(
    Type.Object({
      provider: Type.String(),
      name: Type.String(),
      status: Type.String(),
      reconnectBefore: Text,
      problem: Text,
      troubleSince: Text,
      refreshFailures: Type.Integer({ description: 'How many times in a row refreshing its token failed' }),
    }),
  ),
  deliveriesRefused: Count,
  quality: Type.Object({
    withoutEnd: Count,
    late: Type.Integer({ description: 'Calls with updates received over an hour after they ended' }),
  }),
});

const toListed = ({ figures: _, teamId: __, startsAt, endsAt, asOf, createdAt, ...report }: ReportRow) => ({
  ...report,
  startsAt: toIso(startsAt),
  endsAt: toIso(endsAt),
  asOf: toIso(asOf),
  createdAt: toIso(createdAt),
});

/** Where the rows behind the figures are: the same calls, through the same filters. */
const evidenceOf = ({ startsAt, endsAt }: ReportRow) => {
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

export const reportRoutes =
  (dependencies: { database: Database; vault: Vault }): Routes =>
  (server) => {
    const { database } = dependencies;
    const tags = ['reports'];

    server.get(
      '/api/reports',
      {
        config: { access: 'member' },
        schema: {
          tags,
          summary: "List the team's weekly reports, newest first",
          querystring: PageQuery,
          response: { 200: Type.Object({ reports: Type.Array(Type.Object(listed)), nextCursor: NextCursor }) },
        },
      },
      async (request) => {
        const { teamId } = callerOf(request);
        const { rows, nextCursor } = await readPage(request.query, {
          read: (before, limit) => listReports(database, teamId, limit, before ?? undefined),
          keyOf: ({ week }) => week,
          shape: WEEK,
          refuseCursor: cursorInvalid,
        });
        return { reports: rows.map(toListed), nextCursor };
      },
    );

    server.get(
      '/api/reports/:week',
      {
        config: { access: 'member' },
        schema: {
          tags,
          summary: "Get one week's figures, with links to the rows behind them",
          params: Type.Object({ week: Type.String({ maxLength: 20 }) }),
          response: {
            200: Type.Object({
              ...listed,
              figures: Figures,
              evidence: Type.Record(Type.String(), Type.String()),
              deliveries: Type.Array(
                Type.Object({
                  channel: Type.Enum(['mail', 'slack']),
                  state: Type.Enum(['queued', 'sending', 'sent', 'unclear', 'failed', 'unsubscribed', 'skipped']),
                  problem: Text,
                  sentAt: InstantOrNull,
                  nextTryAt: InstantOrNull,
                }),
                {
                  description:
                    'One for each recipient. `unclear` means it may have arrived, and it is not sent again. `skipped` means there was nobody to send it to; `problem` says why.',
                },
              ),
            }),
          },
        },
      },
      async (request) => {
        const report = await findReport(database, callerOf(request).teamId, request.params.week);
        const deliveries = await listReportDeliveries(database, report.teamId, report.week);
        return {
          ...toListed(report),
          figures: await openNamedFigures(dependencies, report),
          evidence: evidenceOf(report),
          deliveries: deliveries.map(({ channel, state, problem, sentAt, nextTryAt }) => ({
            channel,
            state,
            problem,
            sentAt: toIsoOrNull(sentAt),
            nextTryAt: toIsoOrNull(nextTryAt),
          })),
        };
      },
    );
  };
