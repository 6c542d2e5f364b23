import type { IntegrationsContext } from '../catalogue/context.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import { settingsOf } from '../catalogue/settings-of.ts';
import { scopesOf } from '../requests/authorization-url.ts';

/** The catalog as a team sees it: what is set up, and what to do for the rest. */
export const listProviders = async ({ catalogue, clients, url }: IntegrationsContext, teamId: string) => {
  const own = await clients.listOwn(teamId);
  return [...catalogue.values()].map(({ record }) => ({
    id: record.id,
    name: record.name,
    category: record.category ?? 'other',
    configured: !record.retired && (own.has(record.id) || clients.operatorHas(record.id)),
    ownCredentials: own.has(record.id),
    retired: record.retired?.reason ?? null,
    params: Object.entries(record.params ?? {}).map(([name, { about, pattern, example, default: standard = null }]) => {
      return { name, about, pattern, example, default: standard };
    }),
    requiredScopes: record.requiredScopes ?? [],
    scopes: scopesOf(record, own.get(record.id)?.scopes ?? null),
    callbackUrl: redirectUriOf(url, record.id),
    settings: settingsOf(record.id),
    api: record.api ? { url: record.api.url, hosts: record.api.hosts ?? {} } : null,
  }));
};

export type ListedProvider = Awaited<ReturnType<typeof listProviders>>[number];
