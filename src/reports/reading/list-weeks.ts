import type { Database } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { Figures } from '../figures/figures.ts';
import { listReports, type ReportRow } from '../figures/report-store.ts';
import { openFigures } from '../figures/sealed-figures.ts';
import { countDeliveriesByState, type DeliveryCount } from '../ledger/report-delivery-store.ts';

export type ListedWeek = Pick<ReportRow, 'week' | 'revision' | 'timeZone' | 'startsAt' | 'endsAt'> & {
  figures: Figures;
  deliveries: DeliveryCount[];
};

/** A page of the team's reports, newest first. `earlier` leads on; null: there are no more. */
export const listWeeks = async (
  { database, vault }: { database: Database; vault: Vault },
  teamId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<{ weeks: ListedWeek[]; earlier: string | null }> => {
  const found = await listReports(database, teamId, limit + 1, before);
  const rows = found.slice(0, limit);
  const [newest, oldest] = [rows[0], rows.at(-1)];
  if (!newest || !oldest) return { weeks: [], earlier: null };
  const deliveries = await countDeliveriesByState(database, teamId, { first: oldest.week, last: newest.week });
  const weeks = await Promise.all(
    rows.map(async (row) => ({
      ...row,
      figures: await openFigures(vault, row),
      deliveries: deliveries.filter(({ week }) => week === row.week),
    })),
  );
  return { weeks, earlier: found.length > limit ? oldest.week : null };
};
