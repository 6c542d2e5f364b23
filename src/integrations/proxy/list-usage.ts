import type { IntegrationsContext } from '../catalogue/context.ts';
import { hourOf } from './usage-meter.ts';
import { sumUsage, sumUsageOf, type UsageSum } from './usage-store.ts';

type UsageContext = Pick<IntegrationsContext, 'database' | 'clock'>;

/** What the team's connections were used for in the last hours. Those that weren't used are left out. */
export const listUsage = ({ database, clock }: UsageContext, teamId: string, hours: number): Promise<UsageSum[]> =>
  sumUsage(database, teamId, hourOf(clock.now()) - hours + 1);

/** The same for the connections to one provider. */
export const listUsageOf = (
  { database, clock }: UsageContext,
  teamId: string,
  provider: string,
  hours: number,
): Promise<UsageSum[]> => sumUsageOf(database, teamId, provider, hourOf(clock.now()) - hours + 1);
