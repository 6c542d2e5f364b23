import { toIsoOrNull } from '../../platform/index.ts';
import { toListedReport } from '../figures/listed-report.ts';
import type { getReportDetails } from './show-report.ts';

type Details = Awaited<ReturnType<typeof getReportDetails>>;

/** A report with its figures, as the API and agents get it. */
export const viewReportDetails = ({ dispatches, ...report }: Details) => ({
  ...toListedReport(report),
  figures: report.figures,
  demoCallsLeftOut: report.demoCallsLeftOut,
  deliveries: dispatches.map(({ channel, state, problem, sentAt, nextTryAt }) => ({
    ...{ channel, state, problem },
    sentAt: toIsoOrNull(sentAt),
    nextTryAt: toIsoOrNull(nextTryAt),
  })),
});
