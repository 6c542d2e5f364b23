import { type Dispatch, defineDispatches } from '../../notices/index.ts';

/** A report on its way to one recipient. */
export type ReportDispatch = Dispatch & {
  reportId: string;
  week: string;
  /** The sealed email address. Null for Slack, which uses the team's current webhook URL. */
  recipient: string | null;
  nextTryAt: number | null;
};

export const reportDispatches = defineDispatches<ReportDispatch>({
  noun: 'report',
  called: 'a report',
  table: 'report_deliveries',
  own: ['reportId', 'week', 'recipient', 'nextTryAt'],
});
