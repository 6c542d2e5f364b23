import type { DashboardContext } from '../context.ts';
import type { Person } from '../person.ts';
import { loadEntry } from './entry.ts';
import type { ShownPeople } from './people/people-section.ts';
import { loadUsage } from './usage.ts';

/** How many calls that aren't logged the page lists. */
const MOST_UNLOGGED = 20;

/** Loads what is turned on for each connection, and the calls that aren't logged. */
const loadPeople = async ({ integrations, telephony }: DashboardContext, teamId: string, provider: string) => {
  const shown: ShownPeople[] = [];
  for (const state of await integrations.people.listPeople(teamId, provider)) {
    const wanted = { teamId, provider, name: state.connection };
    const hasLog = state.log || state.logSince !== null;
    shown.push({ state, log: hasLog ? await telephony.crms.listCallLogs(wanted, { limit: MOST_UNLOGGED }) : null });
  }
  return shown;
};

/** Loads everything that the page of one provider shows. */
export const loadProvider = async (context: DashboardContext, { team, role }: Person, id: string) => {
  const teamId = team.id;
  const { entry, setUp } = await loadEntry(context, teamId, id);
  const { getWebhookSetUp, getOperatorWebhook } = context.integrations.webhooks.useCases;
  const [usageOf, evidence, history, webhooks, operatorWebhook, people] = await Promise.all([
    loadUsage(context, teamId, entry.connections.length > 0 ? [entry.id] : []),
    context.integrations.getEvidence(teamId, id),
    context.events.listConnectionChanges(teamId, [...(setUp?.names.keys() ?? [])]),
    // The address is as good as a secret where nothing is signed.
    role === 'admin' ? getWebhookSetUp({ teamId, provider: id }) : null,
    role === 'admin' ? getOperatorWebhook(teamId, id) : null,
    loadPeople(context, teamId, id),
  ]);
  return { entry, setUp, usageOf, evidence, history, webhooks, operatorWebhook, people };
};
