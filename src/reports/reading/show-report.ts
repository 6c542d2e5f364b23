import type { Team } from '../../teams/index.ts';
import { countsDemoCalls, hasDemoCalls } from '../../telephony/index.ts';
import type { ReportsContext } from '../context.ts';
import type { ReadingContext } from '../figures/count-week-now.ts';
import { getReport, getWeeksAround, type WeeksAround } from '../figures/report-store.ts';
import { findReport, openNamedFigures, type ReportView, viewReport, viewWeekNow } from '../figures/view-report.ts';
import { listDispatches } from '../ledger/dispatch-store.ts';
import { openRecipient } from '../ledger/recipient.ts';
import type { ReportDispatch } from '../ledger/report-dispatches.ts';
import { dueAt } from '../week/due-weeks.ts';
import { weekAt } from '../week/week.ts';
import { markWeeksBeforeTeam } from './mark-weeks-before-team.ts';

/**
 * `createdAt`: when the figures were counted. If the week isn't over, that was at most a few seconds ago. `dueAt`: when
 * the service makes this week's report.
 */
export type ShownReport = ReportView & { createdAt: number; dueAt: number };

/**
 * Shows a week to a member of the team: its report, the current week so far, or a week of demo calls, whose figures are
 * never stored.
 */
export const showReport = async (context: ReadingContext, team: Team, week: string): Promise<ShownReport> => {
  const { database, clock } = context;
  const isCurrent = week === weekAt(clock.now(), team.timeZone);
  const report =
    isCurrent && !(await getReport(database, team.id, week)) ? null : await findReport(context, team.id, week);
  const isCounted = !report || (await countsDemoCalls(context, team.id));
  const view = isCounted ? await viewWeekNow(context, team, week) : await viewReport(context, team, report);
  return { ...view, dueAt: dueAt(view.week, team) };
};

/** A report for the API. */
export const getReportDetails = async (context: ReportsContext, teamId: string, week: string) => {
  const { database } = context;
  const report = await findReport(context, teamId, week);
  const [marked = { ...report, predatesTeam: false }] = await markWeeksBeforeTeam(database, teamId, [report]);
  const dispatches = await listDispatches(database, teamId, report.week);
  const demoCallsLeftOut = await hasDemoCalls(context, teamId, report);
  return { ...marked, figures: await openNamedFigures(context, report), demoCallsLeftOut, dispatches };
};

export type ShownDispatch = Pick<ReportDispatch, 'channel' | 'state' | 'problem' | 'nextTryAt' | 'sentAt'> & {
  /** The email address. Null for Slack, or if the report had no recipient. */
  address: string | null;
};

/** The recipients of a week's report, and the nearest weeks before and after it that have a report. */
export const showDispatches = async (
  { database, vault }: ReportsContext,
  teamId: string,
  week: string,
): Promise<{ dispatches: ShownDispatch[]; around: WeeksAround }> => {
  const rows = await listDispatches(database, teamId, week);
  const dispatches = await Promise.all(rows.map(async (row) => ({ ...row, address: await openRecipient(vault, row) })));
  return { dispatches, around: await getWeeksAround(database, teamId, week) };
};
