import { notFound } from '../../http/index.ts';
import type { Integration, ListedProvider } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';
import type { DashboardContext } from '../context.ts';
import { type Category, categoryOf } from './categories.ts';

/** A connection and its status. */
export type ShownConnection = Exclude<Integration, { status: 'disconnected' }>;

/** A provider as the pages show it: its catalog entry and the team's connections. */
export type Entry = {
  id: string;
  teamId: string;
  name: string;
  category: Category;
  /** What a search looks through. */
  words: string;
  /** What else people call it. */
  aliases: readonly string[];
  /** Null if the provider has left the catalog and only its connections are left. */
  provider: ListedProvider | null;
  /** `default` first. */
  connections: readonly ShownConnection[];
};

/** Stands in for a provider, so it isn't counted as one. */
export const isSandbox = ({ id }: Pick<Entry, 'id'>): boolean => id === 'sandbox';

/** How many providers these are, wherever a page says so. */
export const countProviders = (entries: readonly Entry[]): number => entries.filter((one) => !isSandbox(one)).length;

/** Whether a connect could start. */
export const isReady = ({ provider }: Entry): boolean => provider?.configured ?? false;

/** Connected with a key, which a form of ours asks for. */
export const usesKey = ({ provider }: Pick<Entry, 'provider'>): boolean =>
  provider !== null && provider.kind !== 'oauth2';

const isConnected = (integration: Integration): integration is ShownConnection => integration.status !== 'disconnected';

const wordsOf = (id: string, name: string, category: string): string => `${name} ${id} ${category}`;

const listEntries = async ({ integrations }: DashboardContext, teamId: string): Promise<Entry[]> => {
  const [providers, status] = await Promise.all([integrations.listProviders(teamId), integrations.getStatus(teamId)]);
  const connections = Map.groupBy(status.integrations.filter(isConnected), ({ provider }) => provider);
  const listed = providers.map((provider): Entry => {
    const { id, name, category, aliases } = provider;
    const words = wordsOf(id, name, category);
    return {
      id,
      teamId,
      name,
      category: categoryOf(category),
      words,
      aliases,
      provider,
      connections: connections.get(id) ?? [],
    };
  });
  const known = new Set(providers.map(({ id }) => id));
  const left = [...connections].filter(([id]) => !known.has(id));
  const unlisted = left.map(([id, connected]): Entry => {
    const name = connected[0]?.name ?? id;
    const words = wordsOf(id, name, 'other');
    return { id, teamId, name, category: 'Other', words, aliases: [], provider: null, connections: connected };
  });
  return [...listed, ...unlisted];
};

/** By name. */
export const loadEntries = async (context: DashboardContext, teamId: string): Promise<Entry[]> =>
  (await listEntries(context, teamId)).sort((a, b) => a.name.localeCompare(b.name, 'en'));

/** Who a connection is for, as people know them. */
export const shownAccountName = ({ account, connection }: ShownConnection): string =>
  account.label ?? account.id ?? connection;

/** The connection of this name, if there is one. */
export const connectionNamed = ({ connections }: Entry, name: string): ShownConnection | null =>
  connections.find(({ connection }) => connection === name) ?? null;

/** One provider, and what the team has set up for it. */
export const loadEntry = async (context: DashboardContext, teamId: string, id: string) => {
  const entry = (await listEntries(context, teamId)).find((one) => one.id === id);
  if (!entry) throw notFound();
  return { entry, setUp: entry.provider && (await context.integrations.getSetUp(teamId, id)) };
};

export const providerLink = ({ id, name }: Pick<Entry, 'id' | 'name'>): Html =>
  html`<a class="integration-name" href="/integrations/${id}">${name}</a>`;

/** A provider's page, above those about one of its connections. */
export const providerPlace = ({ id, name }: Pick<Entry, 'id' | 'name'>) => ({ path: `/integrations/${id}`, name });
