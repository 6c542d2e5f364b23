import { Secret } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { Figures } from './figures.ts';
import type { ReportRow } from './report-store.ts';

const placeOf = (id: string) => ({ record: `reports/${id}`, field: 'figures' });

/** Figures that older reports don't have. */
const complete = (stored: Figures): Figures => ({
  ...stored,
  quality: { ...stored.quality, late: stored.quality.late ?? 0 },
  numbers: stored.numbers.map((number) => ({ ...number, hash: number.hash ?? null })),
  integrations: stored.integrations.map((integration) => ({
    ...integration,
    problem: integration.problem ?? null,
    troubleSince: integration.troubleSince ?? null,
    refreshFailures: integration.refreshFailures ?? 0,
  })),
});

export const openFigures = async (vault: Vault, { teamId, id, figures }: ReportRow): Promise<Figures> =>
  complete(JSON.parse((await vault.open(teamId, placeOf(id), figures)).reveal()));

export const sealFigures = (
  vault: Vault,
  { teamId, id }: Pick<ReportRow, 'teamId' | 'id'>,
  figures: Figures,
): Promise<string> => vault.seal(teamId, placeOf(id), new Secret(JSON.stringify(figures)));
