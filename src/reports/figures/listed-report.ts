import { toIso } from '../../platform/index.ts';
import type { ReportRow } from './report-store.ts';

/** A report as lists show it, without its figures. */
export const toListedReport = (report: Omit<ReportRow, 'figures'> & { predatesTeam: boolean }) => {
  const { id, week, revision, timeZone, contentHash, predatesTeam } = report;
  return {
    ...{ id, week, revision, timeZone },
    startsAt: toIso(report.startsAt),
    endsAt: toIso(report.endsAt),
    asOf: toIso(report.asOf),
    contentHash,
    createdAt: toIso(report.createdAt),
    predatesTeam,
  };
};
