import { Type } from '../../../platform/index.ts';
import type { PageRoutes } from '../../pages.ts';
import { loadProvider } from '../load-provider.ts';
import { ByPageConnection } from '../prefixed.ts';
import { providerPage } from '../provider-page.ts';

export const PEOPLE_DONE = {
  people_saved: 'Saved.',
  people_retried: 'Patchbay tries again to log the call.',
};

const Wish = Type.Object({ lookup: Type.Optional(Type.Literal('on')), log: Type.Optional(Type.Literal('on')) });
const ByCall = Type.Object({ ...ByPageConnection.properties, call: Type.String({ maxLength: 60 }) });

/** Routes to look up callers and log calls with a connection. */
export const peoplePageRoutes: PageRoutes = ({ form }, context) => {
  const { integrations, telephony } = context;

  form(
    '/integrations/:provider/connections/:connection/people',
    { access: 'admin', params: ByPageConnection, body: Wish },
    async ({ person, actor, params: { provider, connection }, body }) => {
      const wanted = { teamId: person.team.id, provider, name: connection };
      const wish = { lookup: body.lookup === 'on', log: body.log === 'on' };
      await integrations.people.choosePeople(wanted, wish, actor);
      return `/integrations/${provider}?done=people_saved#people`;
    },
    async ({ person, params: { provider } }) => providerPage(person, await loadProvider(context, person, provider)),
  );

  form(
    '/integrations/:provider/connections/:connection/people/calls/:call/retry',
    { access: 'admin', params: ByCall, body: Type.Object({}) },
    async ({ person, actor, params: { provider, connection, call } }) => {
      const wanted = { teamId: person.team.id, provider, name: connection };
      await telephony.crms.retryCallLog(wanted, call, actor);
      return `/integrations/${provider}?done=people_retried#people`;
    },
    async ({ person, params: { provider } }) => providerPage(person, await loadProvider(context, person, provider)),
  );
};
