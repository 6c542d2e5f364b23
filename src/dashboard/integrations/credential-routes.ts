import { parseScopes } from '../../integrations/index.ts';
import { html, Type } from '../../platform/index.ts';
import type { PageRoutes } from '../pages.ts';
import { loadEntry, providerPlace } from './entry.ts';
import { loadProvider } from './load-provider.ts';
import { ByPageProvider, prefixed, readPrefixed } from './prefixed.ts';
import { providerPage } from './provider-page.ts';

export const CREDENTIALS_DONE = {
  client_saved: "Your team's OAuth app is saved. You can connect now.",
  client_removed: "Your team's OAuth app is removed.",
  scopes_saved: 'The scopes are saved. They count from the next connect on.',
};

const Text = Type.String({ maxLength: 10_000 });
const Form = prefixed(
  {
    clientId: Text,
    clientSecret: Type.Optional(Text),
    privateKey: Type.Optional(Text),
    keyId: Type.Optional(Text),
    isPublic: Type.Optional(Type.Literal('yes')),
    clientScopes: Type.Optional(Text),
  },
  'registered',
  'more',
);

const ScopesForm = Type.Object({ defaultScopes: Text });

/** Routes for the team's own OAuth app at a provider. */
export const credentialPageRoutes: PageRoutes = ({ form, confirm }, context) => {
  const { integrations } = context;

  form(
    '/integrations/:provider/credentials',
    { access: 'admin', params: ByPageProvider, body: Form },
    async ({ caller, actor, params: { provider }, body }) => {
      const privateKey = body.privateKey?.trim();
      const credentials = {
        clientId: body.clientId.trim(),
        clientSecret: body.isPublic === 'yes' || privateKey ? null : (body.clientSecret?.trim() ?? null),
        privateKey: privateKey || null,
        keyId: body.keyId?.trim() || null,
        fields: readPrefixed(body, 'more'),
        params: readPrefixed(body, 'registered'),
        scopes: body.clientScopes?.trim() ? parseScopes(body.clientScopes) : null,
      };
      await integrations.putCredentials(caller, provider, credentials, actor);
      return `/integrations/${provider}?done=client_saved`;
    },
    async ({ person, params: { provider }, body }) => {
      const { clientId, isPublic } = body;
      const draft = {
        clientId: clientId.trim(),
        isPublic: isPublic === 'yes',
        params: readPrefixed(body, 'registered'),
        scopes: body.clientScopes ?? '',
      };
      return providerPage(person, { ...(await loadProvider(context, person, provider)), draft });
    },
  );

  form(
    '/integrations/:provider/credentials/scopes',
    { access: 'admin', params: ByPageProvider, body: ScopesForm },
    async ({ person, actor, params: { provider }, body: { defaultScopes } }) => {
      const scopes = defaultScopes.trim() ? parseScopes(defaultScopes) : null;
      await integrations.putOwnScopes(person.team.id, provider, scopes, actor);
      return `/integrations/${provider}?done=scopes_saved`;
    },
    async ({ person, params: { provider }, body: { defaultScopes: scopesDraft } }) =>
      providerPage(person, { ...(await loadProvider(context, person, provider)), scopesDraft }),
  );

  confirm(
    '/integrations/:provider/credentials/remove',
    { access: 'admin', params: ByPageProvider },
    async ({ person, params }) => {
      const { entry, setUp } = await loadEntry(context, person.team.id, params.provider);
      const { id, name, connections } = entry;
      if (setUp?.client?.of !== 'team') return `/integrations/${id}`;
      return {
        title: `Remove your team's OAuth app at ${name}?`,
        under: [providerPlace(entry)],
        content: html`<ul><li>Its client ID and secret are deleted.</li>
${
  setUp.operatorHasClient
    ? html`<li>Your team will then use the OAuth app that your administrator set up for all teams.</li>`
    : html`<li>After that, your team can't connect ${name} until you add an OAuth app again.</li>`
}
${connections.length > 0 && html`<li>Existing connections stay, but those made with this app can't be refreshed anymore. Disconnect them first, or reconnect them afterward.</li>`}</ul>`,
        button: 'Remove OAuth app',
        back: `/integrations/${id}`,
      };
    },
    async ({ person, actor, params: { provider } }) => {
      await integrations.deleteCredentials(person.team.id, provider, actor);
      return `/integrations/${provider}?done=client_removed`;
    },
  );
};
