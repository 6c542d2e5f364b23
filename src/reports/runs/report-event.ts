import type { NewEvent } from '../../events/index.ts';
import type { Team } from '../../teams/index.ts';
import type { ReportsContext } from '../context.ts';
import { toListedReport } from '../figures/listed-report.ts';
import type { ReportRow } from '../figures/report-store.ts';
import { predatesTeam } from '../week/due-weeks.ts';

/** The event for a new report or revision, with the same data as in lists. */
export const toReportEvent = ({ url }: Pick<ReportsContext, 'url'>, team: Team, report: ReportRow): NewEvent => ({
  teamId: report.teamId,
  type: 'report.ready',
  subject: report.id,
  data: {
    ...toListedReport({ ...report, predatesTeam: predatesTeam(report, team) }),
    url: `${url}/api/reports/${report.week}`,
  },
});
