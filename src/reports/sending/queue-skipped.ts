import type { Team } from '../../teams/index.ts';
import type { ReportRow } from '../figures/report-store.ts';
import { deleteSkipped } from '../ledger/report-delivery-store.ts';
import { prepareDeliveries, type QueueDependencies, queueDeliveries } from './queue-deliveries.ts';

/** How long a report that nobody got is still worth sending. */
export const STILL_NEWS_MS = 7 * 24 * 3_600_000;

/** Sends a report that had nobody to go to, once there is a mail server or a recipient. */
export const queueSkipped = async (
  dependencies: QueueDependencies,
  team: Team,
  report: Pick<ReportRow, 'id' | 'week'>,
): Promise<void> => {
  const { database, clock } = dependencies;
  const deliveries = await prepareDeliveries(dependencies, team, report);
  if (deliveries.every(({ state }) => state === 'skipped')) return;
  const since = clock.now() - STILL_NEWS_MS;
  await database.transaction(async (tx) => {
    if ((await deleteSkipped(tx, team.id, report.week, since)) > 0) await queueDeliveries(dependencies, tx, deliveries);
  });
};
