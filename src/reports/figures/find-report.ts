import type { Database } from '../../platform/index.ts';
import { reportUnknown, weekInvalid } from '../errors.ts';
import { parseWeek } from '../week/week.ts';
import { getReport, type ReportRow } from './report-store.ts';

/** The newest revision of a week's report, by the week in a URL. */
export const findReport = async (database: Database, teamId: string, week: string): Promise<ReportRow> => {
  const known = parseWeek(week);
  if (known === null) throw weekInvalid();
  const report = await getReport(database, teamId, known);
  if (!report) throw reportUnknown();
  return report;
};
