import type { Database } from '../platform/index.ts';
import type { Team } from '../teams/index.ts';
import type { Vault } from '../vault/index.ts';
import type { ReportView } from './compare.ts';
import { findReport } from './find-report.ts';
import { openNamedFigures } from './name-waiting.ts';
import { openRecipient } from './recipient.ts';
import type { ReportDelivery } from './report-delivery.ts';
import { listReportDeliveries } from './report-delivery-store.ts';
import { getWeeksAround, type WeeksAround } from './report-store.ts';

export type ShowReportDependencies = { database: Database; vault: Vault };

export type ShownReport = ReportView & { createdAt: number };

/** A report as a person of the team asks for it. */
export const showReport = async (
  dependencies: ShowReportDependencies,
  team: Team,
  week: string,
): Promise<ShownReport> => {
  const report = await findReport(dependencies.database, team.id, week);
  return { ...report, team: team.name, figures: await openNamedFigures(dependencies, report) };
};

export type ShownDelivery = Pick<ReportDelivery, 'channel' | 'state' | 'problem' | 'nextTryAt' | 'sentAt'> & {
  /** Null: a channel, or nobody. */
  address: string | null;
};

/** To whom it went, and which weeks of the team's are told of before and after it. */
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
