import type { DashboardContext } from '../context.ts';
import type { Person } from '../person.ts';
import { loadEntry } from './entry.ts';
import { loadUsage } from './usage.ts';

/** Loads everything that the page of one provider shows. */
export const loadProvider = async (context: DashboardContext, { team, role }: Person, id: string) => {
  const teamId = team.id;
  const { entry, setUp } = await loadEntry(context, teamId, id);
  const { getWebhookSetUp, getOperatorWebhook } = context.integrations.webhooks.useCases;
  const [usageOf, evidence, history, webhooks, operatorWebhook] = await Promise.all([
    loadUsage(context, teamId, entry.connections.length > 0 ? [entry.id] : []),
    context.integrations.getEvidence(teamId, id),
    context.events.listConnectionChanges(teamId, [...(setUp?.names.keys() ?? [])]),
    // The address is as good as a secret where nothing is signed.
    role === 'admin' ? getWebhookSetUp({ teamId, provider: id }) : null,
    role === 'admin' ? getOperatorWebhook(teamId, id) : null,
  ]);
  return { entry, setUp, usageOf, evidence, history, webhooks, operatorWebhook };
};
