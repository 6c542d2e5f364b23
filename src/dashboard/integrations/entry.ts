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
  /** The words that a search matches. */
  words: string;
  /** Other names of the provider. */
  aliases: readonly string[];
  /** Null if the provider was removed from the catalog and only its connections are left. */
  provider: ListedProvider | null;
  /** The connections, `default` first. */
  connections: readonly ShownConnection[];
};

/** Whether the entry is the sandbox. It's left out when providers are counted. */
export const isSandbox = ({ id }: Pick<Entry, 'id'>): boolean => id === 'sandbox';

/** The number of providers to show on pages. */
export const countProviders = (entries: readonly Entry[]): number => entries.filter((one) => !isSandbox(one)).length;

/** Whether a connect can start. */
export const isReady = ({ provider }: Entry): boolean => provider?.configured ?? false;

/** Whether the provider is connected with a key, which people enter in our own form. */
export const usesKey = ({ provider }: Pick<Entry, 'provider'>): boolean =>
  provider !== null && provider.kind !== 'oauth2';

const isConnected = (integration: Integration): integration is ShownConnection => integration.status !== 'disconnected';

const wordsOf = (id: string, name: string, category: string): string => `${name} ${id} ${category}`;

/** The entries of all providers, or of one, without loading what belongs to others. */
const listEntries = async ({ integrations }: DashboardContext, teamId: string, only?: string): Promise<Entry[]> => {
  const [providers, held] = await Promise.all([
    integrations.listProviders(teamId, only === undefined ? {} : { only: [only] }),
    only === undefined
      ? integrations.getStatus(teamId).then((status) => status.integrations)
      : integrations.listConnectionsOf(teamId, only),
  ]);
  const connections = Map.groupBy(held.filter(isConnected), ({ provider }) => provider);
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

/** Loads all entries, sorted by name. */
export const loadEntries = async (context: DashboardContext, teamId: string): Promise<Entry[]> =>
  (await listEntries(context, teamId)).sort((a, b) => a.name.localeCompare(b.name, 'en'));

/** The name of the connected account, as people know it. */
export const shownAccountName = ({ account, connection }: ShownConnection): string =>
  account.label ?? account.id ?? connection;

/** The connection of this name, if there is one. */
export const connectionNamed = ({ connections }: Entry, name: string): ShownConnection | null =>
  connections.find(({ connection }) => connection === name) ?? null;

/** Loads one provider, and what the team has set up for it. */
export const loadEntry = async (context: DashboardContext, teamId: string, id: string) => {
  const entry = (await listEntries(context, teamId, id)).find((one) => one.id === id);
  if (!entry) throw notFound();
  return { entry, setUp: entry.provider && (await context.integrations.getSetUp(teamId, id)) };
};

export const providerLink = ({ id, name }: Pick<Entry, 'id' | 'name'>): Html =>
  html`<a class="integration-name" href="/integrations/${id}">${name}</a>`;

/** The provider's page, as the parent of pages about its connections. */
export const providerPlace = ({ id, name }: Pick<Entry, 'id' | 'name'>) => ({ path: `/integrations/${id}`, name });
