import type { PageRoutes } from '../pages.ts';
import { TRY } from './evidence-section.ts';
import { loadProvider } from './load-provider.ts';
import { ByPageProvider, prefixed, readPrefixed } from './prefixed.ts';
import { providerPage } from './provider-page.ts';

export const TRY_DONE = { tried: 'Tried. The result is below.' };

/** The route that tries out a catalog entry at the provider itself. */
export const tryRoutes: PageRoutes = ({ form }, context) =>
  form(
    '/integrations/:provider/try',
    { access: 'admin', params: ByPageProvider, body: prefixed({}, TRY) },
    async ({ person, actor, params: { provider }, body }) => {
      const params = readPrefixed(body, TRY);
      await context.integrations.tryProvider({ teamId: person.team.id, provider, params }, actor);
      return `/integrations/${provider}?done=tried#tried`;
    },
    async ({ person, params: { provider } }) => providerPage(person, await loadProvider(context, person, provider)),
  );
