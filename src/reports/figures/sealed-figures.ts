import { DEFAULT_CONNECTION } from '../../integrations/index.ts';
import { Secret } from '../../platform/index.ts';
import type { SealedColumn, Vault } from '../../vault/index.ts';
import type { Figures } from './figures.ts';
import type { ReportRow } from './report-store.ts';

const placeOf = (id: string) => ({ record: `reports/${id}`, field: 'figures' });

export const SEALED_REPORTS: SealedColumn = {
  table: 'reports',
  column: 'figures',
  placedBy: ['id'],
  placesOf: (id = '') => [placeOf(id)],
};

export const openFigures = async (vault: Vault, { teamId, id, figures }: ReportRow): Promise<Figures> => {
  const opened: Figures = JSON.parse((await vault.open(teamId, placeOf(id), figures)).reveal());
  // The oldest reports were made before connections had names.
  const integrations = opened.integrations.map((one) => ({ ...one, connection: one.connection ?? DEFAULT_CONNECTION }));
  return { ...opened, integrations };
};

export const sealFigures = (vault: Vault, teamId: string, id: string, figures: Figures): Promise<string> =>
  vault.seal(teamId, placeOf(id), new Secret(JSON.stringify(figures)));
