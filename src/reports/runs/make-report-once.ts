import { createSingleFlight, type Database, oncePer } from '../../platform/index.ts';
import type { Team } from '../../teams/index.ts';
import type { ReportsContext } from '../context.ts';
import type { WeekId } from '../week/week.ts';
import { type Made, makeReport } from './make-report.ts';

const makingIn = oncePer((_: Database) => createSingleFlight<Made>());

/** Makes a report. Concurrent calls for the same report share one result. */
export const makeReportOnce = async (context: ReportsContext, team: Team, week: WeekId): Promise<Made> => {
  const making = makingIn(context.database);
  const key = `${team.id} ${week}`;
  const isFirst = making.countCallers(key) === 0;
  const made = await making.run(key, () => makeReport(context, team, week));
  return isFirst ? made : { ...made, state: 'existing' };
};
