import { type ListedProvider, type OperatorWebhook, toRefusalWords } from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { copyable } from '../../display/copy-button.ts';
import { moment } from '../../display/moment.ts';
import { factList } from '../../parts.ts';
import type { Person } from '../../person.ts';
import { urlBlock } from '../url-block.ts';

type Webhook = NonNullable<ListedProvider['webhook']>;

/** Says where the secret is, or where to put it. */
const secretLine = ({ setting, byClientSecret }: Webhook, { secretIn }: Pick<OperatorWebhook, 'secretIn'>): Html => {
  if (secretIn === 'setting') return html`${copyable('setting', setting)} is set.`;
  if (secretIn === 'client') return html`The client secret verifies them, so there is nothing else to set.`;
  return byClientSecret
    ? html`The client secret verifies them, once it's set.`
    : html`Set ${copyable('setting', setting)} to the secret, and restart Patchbay.`;
};

/** Says what this process has seen at the address. */
const seenPart = ({ region }: Person, { secretIn, delivery, refusal }: OperatorWebhook): Html | null =>
  secretIn &&
  html`${factList([
    ['Last received', delivery ? html`${moment(delivery.at, region)}: <code>${delivery.type}</code>` : 'Nothing yet'],
    ['Last refused', refusal && html`${moment(refusal.at, region)}: ${toRefusalWords(refusal.reason)}`],
  ])}
<p class="quiet">As far as this process knows, since it was started. The log has every kind of refusal, too.</p>`;

/**
 * How to receive webhooks of the operator's OAuth app, and whether that works. The state is only for admins of the
 * operator's team. Null stands for the others, who see this only before the provider is set up.
 */
export const operatorWebhookPart = (
  person: Person,
  { name, webhook }: ListedProvider,
  state: OperatorWebhook | null,
): Html | null =>
  webhook &&
  html`<p class="quiet">To receive what happens at accounts connected with this OAuth app${webhook.reportsWithdrawal && ', and to find out right away when someone removes the app'}, register this webhook URL at ${name}. ${webhook.about} ${secretLine(webhook, state ?? { secretIn: null })}</p>${urlBlock('webhook URL', webhook.url)}${state && seenPart(person, state)}`;
