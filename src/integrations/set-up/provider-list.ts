import type { Catalogue } from '../catalogue/catalogue.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import { settingsOf } from '../catalogue/settings-of.ts';
import type { Clients } from '../clients/clients.ts';

/** The catalog as a team sees it: what is set up, and what to do for the rest. */
export const listProviders = async (
  { catalogue, clients, url }: { catalogue: Catalogue; clients: Clients; url: string },
  teamId: string,
) => {
  const own = await clients.listOwn(teamId);
  return [...catalogue.values()].map(({ record }) => ({
    id: record.id,
    name: record.name,
    category: record.category ?? 'other',
    configured: !record.retired && (own.has(record.id) || clients.operatorHas(record.id)),
    ownCredentials: own.has(record.id),
    retired: record.retired?.reason ?? null,
    params: Object.entries(record.params ?? {}).map(([name, param]) => ({
      name,
      about: param.about,
      pattern: param.pattern,
      example: param.example,
      default: param.default ?? null,
    })),
    scopes: [...new Set([...(record.requiredScopes ?? []), ...record.scopes])],
    callbackUrl: redirectUriOf(url, record.id),
    settings: settingsOf(record.id),
  }));
};

export type ListedProvider = Awaited<ReturnType<typeof listProviders>>[number];
