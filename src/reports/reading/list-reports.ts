import { type PageQuery, readPage } from '../../platform/index.ts';
import type { Team } from '../../teams/index.ts';
import type { ReportsContext } from '../context.ts';
import { reportCursorInvalid } from '../errors.ts';
import type { Figures } from '../figures/figures.ts';
import { getNewestWeek, listReportRows, type ReportRow } from '../figures/report-store.ts';
import { openFigures } from '../figures/sealed-figures.ts';
import { countDispatchesByState, type DispatchCount } from '../ledger/dispatch-store.ts';
import { findReportsDue, type ReportsDue } from '../week/due-weeks.ts';
import { markWeeksBeforeTeam } from './mark-weeks-before-team.ts';

const WEEK = /^2\d{3}-W\d{2}$/;

/** A page of the team's reports, newest first, without their figures. */
export const listReports = async ({ database }: ReportsContext, teamId: string, query: PageQuery) => {
  const { rows, nextCursor } = await readPage(query, {
    read: (before, limit) => listReportRows(database, teamId, limit, before ?? undefined),
    keyOf: ({ week }) => week,
    shape: WEEK,
    refuseCursor: reportCursorInvalid,
  });
  return { rows: await markWeeksBeforeTeam(database, teamId, rows), nextCursor };
};

export type ListedWeek = Pick<ReportRow, 'week' | 'revision' | 'timeZone' | 'startsAt' | 'endsAt'> & {
  predatesTeam: boolean;
  figures: Figures;
  dispatches: DispatchCount[];
};

/**
 * Lists a page of the team's weeks with their figures, and how sending them went. `earlier` is where the next page
 * starts, or null if there are no more weeks.
 */
export const listWeeks = async (
  { database, vault }: ReportsContext,
  teamId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<{ weeks: ListedWeek[]; earlier: string | null }> => {
  const found = await listReportRows(database, teamId, limit + 1, before);
  const rows = await markWeeksBeforeTeam(database, teamId, found.slice(0, limit));
  const [newest, oldest] = [rows[0], rows.at(-1)];
  if (!newest || !oldest) return { weeks: [], earlier: null };
  const dispatches = await countDispatchesByState(database, teamId, { first: oldest.week, last: newest.week });
  const weeks = await Promise.all(
    rows.map(async (row) => ({
      ...row,
      figures: await openFigures(vault, row),
      dispatches: dispatches.filter(({ week }) => week === row.week),
    })),
  );
  return { weeks, earlier: found.length > limit ? oldest.week : null };
};

/** When the service makes the team's reports on its own. */
export const showDue = async ({ database, clock }: ReportsContext, team: Team): Promise<ReportsDue> =>
  findReportsDue(team, clock.now(), await getNewestWeek(database, team.id));
