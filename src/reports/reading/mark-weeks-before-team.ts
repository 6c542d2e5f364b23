import type { Database } from '../../platform/index.ts';
import { getTeam } from '../../teams/index.ts';
import type { ReportRow } from '../figures/report-store.ts';
import { predatesTeam } from '../week/due-weeks.ts';

/** Adds to each report whether its week ended before the team was created. */
export const markWeeksBeforeTeam = async <Row extends Pick<ReportRow, 'endsAt'>>(
  database: Database,
  teamId: string,
  rows: readonly Row[],
): Promise<(Row & { predatesTeam: boolean })[]> => {
  const team = await getTeam(database, teamId);
  return rows.map((row) => ({ ...row, predatesTeam: team !== undefined && predatesTeam(row, team) }));
};
