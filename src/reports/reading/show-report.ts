import type { Database } from '../../platform/index.ts';
import type { Team } from '../../teams/index.ts';
import type { Vault } from '../../vault/index.ts';
import { firstBasis } from '../figures/basis.ts';
import type { ReportView } from '../figures/compare.ts';
import { countFigures } from '../figures/count-figures.ts';
import { findReport } from '../figures/find-report.ts';
import { nameWaiting, openNamedFigures } from '../figures/name-waiting.ts';
import { getReport, getWeeksAround, type WeeksAround } from '../figures/report-store.ts';
import { openRecipient } from '../ledger/recipient.ts';
import type { ReportDelivery } from '../ledger/report-delivery.ts';
import { listReportDeliveries } from '../ledger/report-delivery-store.ts';
import type { MakeReportDependencies } from '../making/make-report.ts';
import { spanOf, weekAt } from '../week/week.ts';

export type ShowReportDependencies = { database: Database; vault: Vault };

export type ShownReport = ReportView & {
  createdAt: number;
  /** False: the week is not over, and was counted just now. */
  isOver: boolean;
};

/** The current week so far. Nothing is kept. */
const showSoFar = async (dependencies: MakeReportDependencies, team: Team, week: string): Promise<ShownReport> => {
  const now = dependencies.clock.now();
  const { name, timeZone } = team;
  const counted = await countFigures(dependencies, firstBasis(team, now), week);
  const figures = await nameWaiting(dependencies, team.id, counted);
  const view = { week, team: name, timeZone, ...spanOf(week, timeZone), revision: 1, figures };
  return { ...view, createdAt: now, isOver: false };
};

/** A report as a member of the team sees it. */
export const showReport = async (
  dependencies: MakeReportDependencies,
  team: Team,
  week: string,
): Promise<ShownReport> => {
  const { database, clock } = dependencies;
  if (week === weekAt(clock.now(), team.timeZone) && !(await getReport(database, team.id, week)))
    return showSoFar(dependencies, team, week);
  const report = await findReport(database, team.id, week);
  return { ...report, team: team.name, figures: await openNamedFigures(dependencies, report), isOver: true };
};

export type ShownDelivery = Pick<ReportDelivery, 'channel' | 'state' | 'problem' | 'nextTryAt' | 'sentAt'> & {
  /** Null: a channel, or nobody. */
  address: string | null;
};

/** Who it went to, and the weeks with a report before and after it. */
export const showDeliveries = async (
  { database, vault }: ShowReportDependencies,
  teamId: string,
  week: string,
): Promise<{ deliveries: ShownDelivery[]; around: WeeksAround }> => {
  const rows = await listReportDeliveries(database, teamId, week);
  const deliveries = await Promise.all(
    rows.map(async (row) => {
      const { channel, state, problem, nextTryAt, sentAt, recipient } = row;
      const address = recipient === null ? null : await openRecipient(vault, row);
      return { channel, state, problem, nextTryAt, sentAt, address };
    }),
  );
  return { deliveries, around: await getWeeksAround(database, teamId, week) };
};
