import { Type } from '../../platform/index.ts';
import { problemNotice } from '../notice.ts';
import type { PageRoutes } from '../pages.ts';
import { refusalOf } from '../refusal-of.ts';
import { askDisconnect, DISCONNECTED } from './connecting/ask-disconnect.ts';
import { continuePage } from './connecting/connect-form.ts';
import { OUTCOME_QUERY, outcomeNotice } from './connecting/outcome-notice.ts';
import { CREDENTIALS_DONE } from './credential-routes.ts';
import { loadEntries, loadEntry } from './entry.ts';
import { integrationsPage } from './integrations-page.ts';
import { ByProvider, prefixed, readPrefixed } from './prefixed.ts';
import { providerPage } from './provider-page.ts';

const ListQuery = Type.Object({
  ...OUTCOME_QUERY,
  q: Type.Optional(Type.String({ maxLength: 100 })),
  category: Type.Optional(Type.String({ maxLength: 60 })),
});

export const integrationRoutes: PageRoutes = ({ page, confirm }, context) => {
  const { integrations, clock } = context;

  page('/integrations', { access: 'member', query: ListQuery, done: DISCONNECTED }, async ({ person, query }) => {
    const { id: teamId, timeZone } = person.team;
    const entries = await loadEntries(context, teamId);
    const { provider, q = '', category = null, ...outcome } = query;
    const entry = entries.find(({ id }) => id === provider);
    const shown = integrationsPage({ entries, filter: { q: q.trim(), category }, timeZone, now: clock.now() });
    return entry ? { ...shown, notice: outcomeNotice(entry, outcome) } : shown;
  });

  page(
    '/integrations/:provider',
    {
      access: 'member',
      params: ByProvider,
      query: Type.Object(OUTCOME_QUERY),
      done: { ...DISCONNECTED, ...CREDENTIALS_DONE },
    },
    async ({ person, params, query: { provider, ...outcome } }) => {
      const { entry, setUp } = await loadEntry(context, person.team.id, params.provider);
      const shown = providerPage(person, { entry, setUp });
      return provider === entry.id ? { ...shown, notice: outcomeNotice(entry, outcome) } : shown;
    },
  );

  page(
    '/integrations/:provider/connect',
    { access: 'member', params: ByProvider, query: prefixed({}, 'params') },
    async ({ person, params: { provider }, query }) => {
      const { entry, setUp } = await loadEntry(context, person.team.id, provider);
      const params = readPrefixed(query, 'params');
      const problem = await refusalOf(() =>
        integrations.checkParams(entry.id, { ...setUp?.client?.params, ...params }),
      );
      if (!problem) return continuePage(entry, person.team.name, params);
      const notice = problemNotice(problem);
      return { ...providerPage(person, { entry, setUp, asked: params }), notice, status: problem.status };
    },
  );

  confirm(
    '/integrations/:provider/disconnect',
    { access: 'member', params: ByProvider },
    async ({ person, params }) => {
      const { entry, setUp } = await loadEntry(context, person.team.id, params.provider);
      return entry.connection ? askDisconnect(entry, setUp ? setUp.isRevocable : false) : `/integrations/${entry.id}`;
    },
    async ({ person, actor, params: { provider } }) => {
      const { entry } = await loadEntry(context, person.team.id, provider);
      const revocation = await integrations.disconnect(person.team.id, provider, actor);
      // A provider that has left the catalog has no page without its connection.
      return `${entry.provider ? `/integrations/${provider}` : '/integrations'}?done=${revocation}`;
    },
  );
};
