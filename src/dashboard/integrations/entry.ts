import { notFound } from '../../http/index.ts';
import type { Integration, ListedProvider } from '../../integrations/index.ts';
import type { DashboardContext } from '../context.ts';

/** The status of a provider that is connected. */
export type Connection = Exclude<Integration, { status: 'disconnected' }>;

/** A provider as the pages show it: its catalog entry and the team's connection. */
export type Entry = {
  id: string;
  teamId: string;
  name: string;
  category: string;
  /** Null for a connection whose provider has left the catalog. */
  provider: ListedProvider | null;
  /** Null if there is no connection. */
  connection: Connection | null;
};

/** `mail and calendar` → “Mail and calendar” */
export const categoryName = (category: string): string =>
  category === 'crm' ? 'CRM' : `${category.charAt(0).toUpperCase()}${category.slice(1)}`;

/** Whether a connect could start. */
export const isReady = ({ provider }: Entry): boolean => provider?.configured ?? false;

const isConnected = (integration: Integration): integration is Connection => integration.status !== 'disconnected';

const URGENCY: readonly Integration['status'][] = ['needs_reconnect', 'degraded', 'connected', 'disconnected'];

const urgencyOf = ({ connection }: Entry): number => URGENCY.indexOf(connection?.status ?? 'disconnected');

/** Most urgent first, then by name. */
const compare = (a: Entry, b: Entry): number => urgencyOf(a) - urgencyOf(b) || a.name.localeCompare(b.name, 'en');

export const loadEntries = async ({ integrations }: DashboardContext, teamId: string): Promise<Entry[]> => {
  const [providers, status] = await Promise.all([integrations.listProviders(teamId), integrations.getStatus(teamId)]);
  const connections = new Map(status.integrations.filter(isConnected).map((one) => [one.provider, one]));
  const listed = providers.map((provider): Entry => {
    const { id, name, category } = provider;
    return { id, teamId, name, category, provider, connection: connections.get(id) ?? null };
  });
  const known = new Set(providers.map(({ id }) => id));
  const left = [...connections.values()].filter(({ provider }) => !known.has(provider));
  const unlisted = left.map((connection): Entry => {
    const { provider: id, name } = connection;
    return { id, teamId, name, category: 'other', provider: null, connection };
  });
  return [...listed, ...unlisted].sort(compare);
};

/** One provider, and what the team has set up for it. */
export const loadEntry = async (context: DashboardContext, teamId: string, id: string) => {
  const entry = (await loadEntries(context, teamId)).find((one) => one.id === id);
  if (!entry) throw notFound();
  return { entry, setUp: entry.provider && (await context.integrations.getSetUp(teamId, id)) };
};
