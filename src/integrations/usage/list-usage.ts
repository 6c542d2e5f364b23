import type { IntegrationsContext } from '../context.ts';
import { hourOf } from './usage-meter.ts';
import { type DayUsage, listDailyUsage } from './usage-store.ts';

/**
 * Lists how much the team's connections to these providers were used in the last days. Days without use are left out.
 */
export const listUsage = (
  { database, clock }: Pick<IntegrationsContext, 'database' | 'clock'>,
  teamId: string,
  { providers, days }: { providers: readonly string[]; days: number },
): Promise<DayUsage[]> => listDailyUsage(database, teamId, { providers, since: hourOf(clock.now()) - days * 24 + 1 });
