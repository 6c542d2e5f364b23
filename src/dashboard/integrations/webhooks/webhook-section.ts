import { type ListedProvider, toRefusalWords, type WebhookSetUp } from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { copyBlock } from '../../display/copy-button.ts';
import { moment } from '../../display/moment.ts';
import { field, postForm } from '../../form.ts';
import { factList } from '../../parts.ts';
import type { Person } from '../../person.ts';

type WebhookView = { provider: ListedProvider; webhooks: WebhookSetUp };
type Address = NonNullable<WebhookSetUp['address']>;

const placeOf = ({ id }: ListedProvider): string => `/integrations/${id}/webhook`;

/** Says what was last received, or why the last message wasn't accepted. */
const lastSeen = ({ region }: Person, address: Address): Html => {
  const { lastDeliveryAt, lastType, lastConnection, lastRefusalAt, lastRefusal } = address;
  const about = lastConnection ?? 'no connected account in it';
  return factList([
    [
      'Last received',
      lastDeliveryAt === null
        ? 'Nothing yet'
        : html`${moment(lastDeliveryAt, region)}: <code>${lastType}</code>, ${about}`,
    ],
    [
      'Last refused',
      lastRefusalAt !== null && html`${moment(lastRefusalAt, region)}: ${toRefusalWords(lastRefusal ?? '')}`,
    ],
  ]);
};

const secretsPart = (person: Person, { provider, webhooks }: WebhookView, { secrets }: Address): Html | null => {
  if (!webhooks.isVerified)
    return html`<p class="notice">${provider.name} signs nothing, so whoever knows this address can send messages to it. Events say <code>verified: none</code>.</p>`;
  const listed = secrets.map(
    ({ id, addedAt, usedAt }) =>
      html`<li>Added ${moment(addedAt, person.region)}, ${usedAt === null ? 'not used yet' : html`last used ${moment(usedAt, person.region)}`} · <a href="${placeOf(provider)}/secrets/${id}/remove">Remove</a></li>`,
  );
  return html`<h3>Secrets</h3>${
    secrets.length === 0
      ? html`<p class="quiet">There is none yet, so nothing is accepted.</p>`
      : html`<ul>${listed}</ul>`
  }${postForm(person, {
    action: placeOf(provider),
    content: field({
      ...{ name: 'secret', label: 'Secret', type: 'password', required: true },
      hint: 'Stored encrypted and never shown again. Each of up to five is accepted, so you can replace one without losing a message. At least 8 characters.',
    }),
    button: 'Add secret',
  })}
${webhooks.bringsSecret && html`<p class="quiet">${provider.name} sends its secret by itself. It's accepted for an hour after this:</p>${postForm(person, { action: placeOf(provider), content: html``, button: 'Set up again' })}`}`;
};

const addressPart = (person: Person, view: WebhookView, address: Address): Html => {
  const { provider, webhooks } = view;
  const isFirst = webhooks.checksAddress && address.secrets.length === 0;
  return html`${isFirst && html`<p class="notice">Add the secret here before you enter the address there: ${provider.name} may check the address with a signed message right away, and that is refused without the secret.</p>`}<p>${webhooks.about}</p>${copyBlock('webhook address', address.url)}
${webhooks.test !== null && html`<p class="quiet">To try it: ${webhooks.test}</p>`}
${lastSeen(person, address)}${webhooks.checksAddress && html`<p class="quiet">A message that only checks the address, such as a ping, counts as received and makes no event.</p>`}${secretsPart(person, view, address)}
<p><a href="${placeOf(provider)}/rotate">Replace the address</a> · <a href="${placeOf(provider)}/remove">Stop receiving</a></p>`;
};

/** Shows where the provider sends what happens, and what arrived there. For admins. */
export const webhookSection = (person: Person, view: WebhookView): Html => {
  const { provider, webhooks } = view;
  const { address } = webhooks;
  const start = html`<p>${provider.name} can tell Patchbay what happens at your account. It becomes an event for your programs (<code>provider.event:${provider.id}</code>).</p>
${postForm(person, { action: placeOf(provider), content: html``, button: 'Make an address' })}`;
  return html`<section class="card set-up" id="webhooks"><h2>Webhooks</h2>${address ? addressPart(person, view, address) : start}</section>`;
};
