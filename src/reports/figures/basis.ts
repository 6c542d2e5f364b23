import type { Team } from '../../teams/index.ts';
import type { NamedNumbers } from '../../telephony/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { ReportRow } from './report-store.ts';
import { openFigures } from './sealed-figures.ts';

/** What a week is counted by. It stays the same in every revision, whatever the team changed since. */
export type Basis = {
  team: Team;
  /** The moment at which calls still waiting are counted. */
  asOf: number;
  /** Numbers that the report already named; the team may have given them up since. */
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
