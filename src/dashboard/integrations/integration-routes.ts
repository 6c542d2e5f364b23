import { addAsset } from '../../http/index.ts';
import { DEFAULT_CONNECTION } from '../../integrations/index.ts';
import { Type } from '../../platform/index.ts';
import { begunWith } from '../../teams/index.ts';
import { problemNotice } from '../notice.ts';
import type { PageRoutes } from '../pages.ts';
import { refusalOf } from '../refusal-of.ts';
import { askDisconnect, askDisconnectKey, DISCONNECTED } from './connecting/ask-disconnect.ts';
import { continueConnectPage, readScopes, scopesPage, toConnectionName } from './connecting/connect-form.ts';
import { connectAddress } from './connecting/connect-link.ts';
import { connectNotice, OUTCOME_QUERY } from './connecting/outcome-notice.ts';
import { SITE_DONE, sitePageRoutes } from './connecting/site-routes.ts';
import { CREDENTIALS_DONE } from './credential-routes.ts';
import { connectionNamed, countProviders, loadEntries, loadEntry, usesKey } from './entry.ts';
import { FILTER_QUERY, readFilter } from './list/filter.ts';
import { integrationsPage } from './list/integrations-page.ts';
import { loadDetails } from './list/load-details.ts';
import { pickShown } from './list/pick-shown.ts';
import { SEARCH_SCRIPT } from './list/search-form.ts';
import { loadProvider } from './load-provider.ts';
import { PEOPLE_DONE, peoplePageRoutes } from './people/people-page-routes.ts';
import { ByPageConnection, ByPageProvider, prefixed, readPrefixed } from './prefixed.ts';
import { providerPage } from './provider-page.ts';
import { TRY_DONE, tryRoutes } from './try-routes.ts';
import { WEBHOOK_DONE, webhookPageRoutes } from './webhooks/webhook-page-routes.ts';

const ListQuery = Type.Object({ ...OUTCOME_QUERY, ...FILTER_QUERY });

const ConnectQuery = prefixed(
  {
    connection: Type.Optional(Type.String({ maxLength: 100 })),
    scopes: Type.Optional(Type.String({ maxLength: 8_000 })),
  },
  'params',
);

export const integrationPageRoutes: PageRoutes = (pages, context) => {
  const { server, page, confirm } = pages;
  const { integrations, clock } = context;
  addAsset(server, SEARCH_SCRIPT);
  sitePageRoutes(pages, context);
  tryRoutes(pages, context);
  webhookPageRoutes(pages, context);
  peoplePageRoutes(pages, context);

  page('/integrations', { access: 'member', query: ListQuery, done: DISCONNECTED }, async ({ person, query }) => {
    const { region, team } = person;
    const entries = await loadEntries(context, team.id);
    const filter = readFilter(query);
    const shown = pickShown(entries, filter);
    const details = await loadDetails(context, team.id, shown);
    const list = integrationsPage({ count: countProviders(entries), filter, shown, ...details, region });
    const entry = entries.find(({ id }) => id === query.provider);
    return entry ? { ...list, notice: connectNotice(entry, query) } : list;
  });

  page(
    '/integrations/:provider',
    {
      access: 'member',
      params: ByPageProvider,
      query: Type.Object(OUTCOME_QUERY),
      done: { ...DISCONNECTED, ...CREDENTIALS_DONE, ...SITE_DONE, ...TRY_DONE, ...WEBHOOK_DONE, ...PEOPLE_DONE },
    },
    async ({ person, params, query: { provider, ...outcome } }) => {
      const view = await loadProvider(context, person, params.provider);
      const shown = providerPage(person, view);
      return provider === view.entry.id ? { ...shown, notice: connectNotice(view.entry, outcome) } : shown;
    },
  );

  page(
    '/integrations/:provider/connect',
    { access: 'member', params: ByPageProvider, query: ConnectQuery },
    async ({ person, params: { provider }, query }) => {
      const { entry, setUp } = await loadEntry(context, person.team.id, provider);
      const named = toConnectionName(query.connection ?? DEFAULT_CONNECTION);
      // Another account needs its own name. With the default name, it would replace the first account.
      const connection = named === '' && entry.connections.length === 0 ? DEFAULT_CONNECTION : named;
      const again = setUp?.again.get(connection);
      const params = { ...again?.params, ...readPrefixed(query, 'params') };
      if (!entry.provider) return `/integrations/${entry.id}`;
      const { scopes = (again?.scopes ?? entry.provider.scopes).join(' ') } = query;
      const asked = { connection, params, scopes };
      const wish = { params: { ...setUp?.client?.params, ...params }, scopes: readScopes(entry.provider, scopes) };
      const problem = await refusalOf(() => integrations.checkConnect(entry.id, { connection, ...wish }));
      // For a key, skip the page that asks for confirmation, unless the new key replaces another.
      if (!problem && usesKey(entry) && !connectionNamed(entry, connection))
        return connectAddress(entry, { connection });
      if (!problem) return continueConnectPage(entry, entry.provider, person.team.name, asked);
      const notice = problemNotice(problem);
      const view = await loadProvider(context, person, provider);
      const typed = { ...asked, connection: query.connection ?? connection };
      return { ...providerPage(person, { ...view, asked: typed }), notice, status: problem.status };
    },
  );

  page(
    '/integrations/:provider/connections/:connection/scopes',
    { access: 'member', params: ByPageConnection },
    async ({ person, params: { provider, connection } }) => {
      const { entry, setUp } = await loadEntry(context, person.team.id, provider);
      const again = setUp?.again.get(connection);
      if (!entry.provider || !again) return `/integrations/${entry.id}`;
      const { params, scopes } = again;
      return scopesPage(entry, entry.provider, {
        ...{ connection, params, scopes: (scopes ?? entry.provider.scopes).join(' ') },
      });
    },
  );

  confirm(
    '/integrations/:provider/connections/:connection/disconnect',
    { access: 'member', params: ByPageConnection },
    async ({ person, params }) => {
      const { entry, setUp } = await loadEntry(context, person.team.id, params.provider);
      const connection = connectionNamed(entry, params.connection);
      if (!connection) return `/integrations/${entry.id}`;
      return usesKey(entry) ? askDisconnectKey(connection) : askDisconnect(connection, setUp ?? { isRevocable: false });
    },
    async ({ person, caller, actor, params: { provider, connection: name } }) => {
      const begun = { begunAt: clock.now(), ...begunWith(caller) };
      const { entry } = await loadEntry(context, person.team.id, provider);
      const asker = { userId: caller.userId, actor, begun };
      const revocation = await integrations.disconnect({ teamId: person.team.id, provider, name }, asker);
      // A provider that was removed from the catalog has no page once its last connection is gone.
      const isLeft = entry.provider !== null || entry.connections.length > 1;
      return `${isLeft ? `/integrations/${provider}` : '/integrations'}?done=${revocation}`;
    },
  );
};
