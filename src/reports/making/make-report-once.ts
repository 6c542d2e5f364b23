import type { Team } from '../../teams/index.ts';
import type { WeekId } from '../week/week.ts';
import { type Made, type MakeReportDependencies, makeReport } from './make-report.ts';

export type MakeReportOnce = (team: Team, week: WeekId) => Promise<Made>;

/** While a report is being made, anyone else who asks for it waits for the same one. */
export const createMakeReportOnce = (dependencies: MakeReportDependencies): MakeReportOnce => {
  const underWay = new Map<string, Promise<Made>>();
  return (team, week) => {
    const key = `${team.id} ${week}`;
    const known = underWay.get(key);
    if (known) return known.then((made) => ({ ...made, state: 'existing' }));
    const making = makeReport(dependencies, team, week).finally(() => underWay.delete(key));
    underWay.set(key, making);
    return making;
  };
};
