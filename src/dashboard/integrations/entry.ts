import { notFound } from '../../http/index.ts';
import type { Integration, ListedProvider } from '../../integrations/index.ts';
import type { DashboardContext } from '../context.ts';

/** A connection and its status. */
export type Connection = Exclude<Integration, { status: 'disconnected' }>;

/** A provider as the pages show it: its catalog entry and the team's connections. */
export type Entry = {
  id: string;
  teamId: string;
  name: string;
  category: string;
  /** Null if the provider has left the catalog and only its connections are left. */
  provider: ListedProvider | null;
  /** `default` first. */
  connections: readonly Connection[];
};

/** `mail and calendar` → “Mail and calendar” */
export const categoryName = (category: string): string =>
  /^(?:ai|crm)$/.test(category) ? category.toUpperCase() : `${category.charAt(0).toUpperCase()}${category.slice(1)}`;

/** Whether a connect could start. */
export const isReady = ({ provider }: Entry): boolean => provider?.configured ?? false;

/** Connected with a key, which a form of ours asks for. */
export const usesKey = ({ provider }: Pick<Entry, 'provider'>): boolean =>
  provider !== null && provider.kind !== 'oauth2';

const isConnected = (integration: Integration): integration is Connection => integration.status !== 'disconnected';

const URGENCY: readonly Integration['status'][] = ['needs_reconnect', 'degraded', 'connected', 'disconnected'];

const urgencyOf = ({ connections }: Entry): number =>
  Math.min(...[...connections.map(({ status }) => status), 'disconnected' as const].map((one) => URGENCY.indexOf(one)));

/** Most urgent first, then by name. */
const compare = (a: Entry, b: Entry): number => urgencyOf(a) - urgencyOf(b) || a.name.localeCompare(b.name, 'en');

export const loadEntries = async ({ integrations }: DashboardContext, teamId: string): Promise<Entry[]> => {
  const [providers, status] = await Promise.all([integrations.listProviders(teamId), integrations.getStatus(teamId)]);
  const connections = Map.groupBy(status.integrations.filter(isConnected), ({ provider }) => provider);
  const listed = providers.map((provider): Entry => {
    const { id, name, category } = provider;
    return { id, teamId, name, category, provider, connections: connections.get(id) ?? [] };
  });
  const known = new Set(providers.map(({ id }) => id));
  const left = [...connections].filter(([id]) => !known.has(id));
  const unlisted = left.map(([id, connected]): Entry => {
    const name = connected[0]?.name ?? id;
    return { id, teamId, name, category: 'other', provider: null, connections: connected };
  });
  return [...listed, ...unlisted].sort(compare);
};

/** The connection of this name, if there is one. */
export const connectionNamed = ({ connections }: Entry, name: string): Connection | null =>
  connections.find(({ connection }) => connection === name) ?? null;

/** One provider, and what the team has set up for it. */
export const loadEntry = async (context: DashboardContext, teamId: string, id: string) => {
  const entry = (await loadEntries(context, teamId)).find((one) => one.id === id);
  if (!entry) throw notFound();
  return { entry, setUp: entry.provider && (await context.integrations.getSetUp(teamId, id)) };
};
