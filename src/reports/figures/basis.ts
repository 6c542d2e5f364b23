import type { Team } from '../../teams/index.ts';
import type { NamedNumbers } from '../../telephony/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { ReportRow } from './report-store.ts';
import { openFigures } from './sealed-figures.ts';

/**
 * The settings that a week is counted with. Later revisions of the report use those of the first one, even if the team
 * has changed its settings since.
 */
export type Basis = {
  team: Team;
  /** A call is counted as waiting if nobody had returned it by this time. */
  asOf: number;
  /** The names that the report already shows for phone numbers, some of which the team may no longer have. */
  named: NamedNumbers;
};

export const basisOf = async (vault: Vault, team: Team, report: ReportRow): Promise<Basis> => {
  const { timeZone, businessHours, asOf } = report;
  const { numbers } = await openFigures(vault, report);
  return {
    team: { ...team, timeZone, businessHours: JSON.parse(businessHours) },
    asOf,
    named: new Map(
      numbers.flatMap(({ hash, number, label }) => (hash && number ? [[hash, { number, label }] as const] : [])),
    ),
  };
};

export const firstBasis = (team: Team, asOf: number): Basis => ({ team, asOf, named: new Map() });
