import type { Database } from '../../platform/index.ts';
import { nameCallers } from '../../telephony/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { Figures, NamedFigures } from './figures.ts';
import type { ReportRow } from './report-store.ts';
import { openFigures } from './sealed-figures.ts';

type Dependencies = { database: Database; vault: Vault };

/** Adds who is waiting, for whoever reads the report. Erased calls are left out. */
export const nameWaiting = async (
  dependencies: Dependencies,
  teamId: string,
  figures: Figures,
): Promise<NamedFigures> => {
  const { total, oldest } = figures.unreturned;
  const names = await nameCallers(
    dependencies,
    teamId,
    oldest.map(({ callId }) => callId),
  );
  const named = oldest.flatMap(({ callId, at, outcome }) => {
    const from = names.get(callId);
    return from === undefined ? [] : [{ callId, from, at, outcome }];
  });
  return { ...figures, unreturned: { total, oldest: named } };
};

export const openNamedFigures = async (dependencies: Dependencies, report: ReportRow): Promise<NamedFigures> =>
  nameWaiting(dependencies, report.teamId, await openFigures(dependencies.vault, report));
