import type { DashboardContext } from '../context.ts';
import { loadEntry } from './entry.ts';
import { loadUsage } from './usage.ts';

/** Loads everything that the page of one provider shows. */
export const loadProvider = async (context: DashboardContext, teamId: string, id: string) => {
  const { entry, setUp } = await loadEntry(context, teamId, id);
  const [usageOf, evidence, history] = await Promise.all([
    loadUsage(context, teamId, entry.connections.length > 0 ? [entry.id] : []),
    context.integrations.getEvidence(teamId, id),
    context.events.listAbout(teamId, [...(setUp?.names.keys() ?? [])]),
  ]);
  return { entry, setUp, usageOf, evidence, history };
};
