import { html, Secret, Type } from '../../../platform/index.ts';
import type { PageRoutes } from '../../pages.ts';
import { loadEntry, providerPlace } from '../entry.ts';
import { loadProvider } from '../load-provider.ts';
import { ByPageProvider } from '../prefixed.ts';
import { providerPage } from '../provider-page.ts';

export const WEBHOOK_DONE = {
  webhook_saved: 'Saved. The address is below.',
  webhook_rotated: 'The address is replaced. Paste the new one at the provider.',
  webhook_secret_removed: 'The secret is removed.',
  webhook_removed: 'Nothing is received anymore.',
};

const BySecret = Type.Object({ ...ByPageProvider.properties, secret: Type.String({ maxLength: 100 }) });

/** Routes to set up a team's own address for a provider's webhooks. */
export const webhookPageRoutes: PageRoutes = ({ form, confirm }, context) => {
  const { useCases } = context.integrations.webhooks;
  const backTo = (provider: string, done: keyof typeof WEBHOOK_DONE): string =>
    `/integrations/${provider}?done=${done}#webhooks`;

  form(
    '/integrations/:provider/webhook',
    {
      access: 'admin',
      params: ByPageProvider,
      body: Type.Object({ secret: Type.Optional(Type.String({ maxLength: 2_000 })) }),
    },
    async ({ person, actor, params: { provider }, body }) => {
      const secret = body.secret?.trim() ? new Secret(body.secret.trim()) : null;
      await useCases.putAddress({ teamId: person.team.id, provider }, secret, actor);
      return backTo(provider, 'webhook_saved');
    },
    async ({ person, params: { provider } }) => providerPage(person, await loadProvider(context, person, provider)),
  );

  confirm(
    '/integrations/:provider/webhook/secrets/:secret/remove',
    { access: 'admin', params: BySecret },
    async ({ person, params: { provider } }) => {
      const { entry } = await loadEntry(context, person.team.id, provider);
      return {
        title: `Remove this secret of ${entry.name}?`,
        under: [providerPlace(entry)],
        content: html`<p>What is signed with it isn't accepted anymore.</p>`,
        button: 'Remove secret',
        back: `/integrations/${entry.id}#webhooks`,
      };
    },
    async ({ person, actor, params: { provider, secret } }) => {
      await useCases.removeSecret({ teamId: person.team.id, provider }, secret, actor);
      return backTo(provider, 'webhook_secret_removed');
    },
  );

  confirm(
    '/integrations/:provider/webhook/rotate',
    { access: 'admin', params: ByPageProvider },
    async ({ person, params: { provider } }) => {
      const { entry } = await loadEntry(context, person.team.id, provider);
      return {
        title: `Replace the address for webhooks of ${entry.name}?`,
        under: [providerPlace(entry)],
        content: html`<p>Nothing is received at the old address from now on, until you paste the new one at ${entry.name}. The secrets stay.</p>`,
        button: 'Replace the address',
        back: `/integrations/${entry.id}#webhooks`,
      };
    },
    async ({ person, actor, params: { provider } }) => {
      await useCases.rotateAddress({ teamId: person.team.id, provider }, actor);
      return backTo(provider, 'webhook_rotated');
    },
  );

  confirm(
    '/integrations/:provider/webhook/remove',
    { access: 'admin', params: ByPageProvider },
    async ({ person, params: { provider } }) => {
      const { entry } = await loadEntry(context, person.team.id, provider);
      return {
        title: `Stop receiving webhooks of ${entry.name}?`,
        under: [providerPlace(entry)],
        content: html`<p>The address and its secrets are deleted. Events that were received stay. Remove the webhook at ${entry.name}, too.</p>`,
        button: 'Stop receiving',
        back: `/integrations/${entry.id}#webhooks`,
      };
    },
    async ({ person, actor, params: { provider } }) => {
      await useCases.removeAddress({ teamId: person.team.id, provider }, actor);
      return backTo(provider, 'webhook_removed');
    },
  );
};
