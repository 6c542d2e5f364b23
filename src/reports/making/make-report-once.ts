import { type Database, oncePer } from '../../platform/index.ts';
import type { Team } from '../../teams/index.ts';
import type { ReportsContext } from '../week/context.ts';
import type { WeekId } from '../week/week.ts';
import { type Made, makeReport } from './make-report.ts';

const underWayIn = oncePer((_: Database) => new Map<string, Promise<Made>>());

/** While a report is being made, anyone else who asks for it waits for the same one. */
export const makeReportOnce = (context: ReportsContext, team: Team, week: WeekId): Promise<Made> => {
  const underWay = underWayIn(context.database);
  const key = `${team.id} ${week}`;
  const known = underWay.get(key);
  if (known) return known.then((made) => ({ ...made, state: 'existing' }));
  const making = makeReport(context, team, week).finally(() => underWay.delete(key));
  underWay.set(key, making);
  return making;
};
