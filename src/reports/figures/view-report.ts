import type { Team } from '../../teams/index.ts';
import { countsDemoCalls, getCallingCode, hasDemoCalls, nameCallers, readHeardIn } from '../../telephony/index.ts';
import type { ReportsContext } from '../context.ts';
import { reportUnknown, weekInvalid } from '../errors.ts';
import { predatesTeam } from '../week/due-weeks.ts';
import { parseWeek, spanOf, type WeekId, type WeekSpan } from '../week/week.ts';
import type { ReadingContext } from './count-week-now.ts';
import type { Figures, NamedFigures } from './figures.ts';
import { getReport, type ReportRow } from './report-store.ts';
import { openFigures } from './sealed-figures.ts';

export type ReportView = Pick<ReportRow, 'week' | 'timeZone' | 'startsAt' | 'endsAt' | 'revision'> & {
  team: string;
  /** The calling code of the team's own numbers. */
  callingCode: string | null;
  predatesTeam: boolean;
  /** False if the week isn't over, so that the figures are incomplete. */
  isOver: boolean;
  /** Whether the week has demo calls. `counted`: the team has only demo calls, so the figures include them. */
  demoCalls: 'none' | 'left_out' | 'counted';
  figures: NamedFigures;
  /** What a machine heard in the voicemails of waiting callers, by call. It isn't part of the stored figures. */
  heard?: ReadonlyMap<string, string>;
};

/** The newest revision of a report, by the week in a URL. Refuses if there is none. */
export const findReport = async ({ database }: ReportsContext, teamId: string, week: string): Promise<ReportRow> => {
  if (parseWeek(week) === null) throw weekInvalid();
  const report = await getReport(database, teamId, week);
  if (!report) throw reportUnknown();
  return report;
};

/** Adds the phone numbers and names of waiting callers, for display. Leaves out erased calls. */
const nameWaiting = async (context: ReportsContext, teamId: string, figures: Figures): Promise<NamedFigures> => {
  const { total, oldest } = figures.unreturned;
  const ids = oldest.map(({ callId }) => callId);
  const names = await nameCallers(context, teamId, ids);
  const named = oldest.flatMap(({ callId, at, outcome }) => {
    const caller = names.get(callId);
    return caller === undefined ? [] : [{ callId, ...caller, at, outcome }];
  });
  return { ...figures, unreturned: { total, oldest: named } };
};

export const openNamedFigures = async (context: ReportsContext, report: ReportRow): Promise<NamedFigures> =>
  nameWaiting(context, report.teamId, await openFigures(context.vault, report));

const findDemoCalls = async (context: ReportsContext, teamId: string, span: WeekSpan): Promise<'none' | 'left_out'> =>
  (await hasDemoCalls(context, teamId, span)) ? 'left_out' : 'none';

const readHeardOf = (context: ReportsContext, teamId: string, { unreturned }: NamedFigures) =>
  readHeardIn(
    context,
    teamId,
    unreturned.oldest.map(({ callId }) => callId),
  );

export const viewReport = async <Report extends ReportRow>(context: ReportsContext, team: Team, report: Report) => {
  const figures = await openNamedFigures(context, report);
  return {
    ...report,
    team: team.name,
    callingCode: await getCallingCode(context, team.id),
    predatesTeam: predatesTeam(report, team),
    isOver: true,
    demoCalls: await findDemoCalls(context, team.id, report),
    figures,
    heard: await readHeardOf(context, team.id, figures),
  };
};

/** Shows the report as if it were made now. Stores nothing. */
export const viewWeekNow = async (context: ReadingContext, team: Team, week: WeekId) => {
  const { name, timeZone } = team;
  const isDemo = await countsDemoCalls(context, team.id);
  const { asOf, figures: counted } = await context.countWeekNow(team, week, isDemo);
  const figures = await nameWaiting(context, team.id, counted);
  const span = spanOf(week, timeZone);
  return {
    ...{ week, team: name, timeZone, ...span, revision: 1, createdAt: asOf, figures },
    callingCode: await getCallingCode(context, team.id),
    predatesTeam: predatesTeam(span, team),
    isOver: span.endsAt <= asOf,
    heard: await readHeardOf(context, team.id, figures),
    demoCalls: isDemo ? ('counted' as const) : await findDemoCalls(context, team.id, span),
  };
};
