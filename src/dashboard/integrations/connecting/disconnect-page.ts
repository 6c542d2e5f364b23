import type { Page } from '../../../http/index.ts';
import type { Disconnected } from '../../../integrations/index.ts';
import { html } from '../../../platform/index.ts';
import { postForm } from '../../form.ts';
import type { Entry } from '../entry.ts';

const atProvider = (name: string, isRevocable: boolean | null): string => {
  if (isRevocable === null) return `${name} is told to end the access, where it offers that.`;
  return isRevocable
    ? `${name} is told to end the access. If it cannot be reached, that is tried again for up to seven days.`
    : `${name} offers no way to be told. Afterwards, remove Patchbay in your account there, too.`;
};

type Question = { entry: Entry; isRevocable: boolean | null; csrfToken: string };

/** Asks before anything is taken away, and says what will happen. */
export const disconnectPage = ({ entry, isRevocable, csrfToken }: Question): Page => {
  const { id, name, connection } = entry;
  const label = connection?.account.label;
  return {
    title: `Disconnect ${name}?`,
    content: html`<div class="sheet asks"><ul>
<li>The tokens${label ? html` of <strong>${label}</strong>` : ''} are erased here at once.</li>
<li>${atProvider(name, isRevocable)}</li>
<li>Programs of your team that use them stop working. You can connect it again at any time.</li></ul>
<div class="integration-actions">${postForm({ action: `/integrations/${id}/disconnect`, csrfToken, button: `Disconnect ${name}`, kind: 'danger' })}<a class="button plain" href="/integrations/${id}">Keep it</a></div></div>`,
  };
};

/** What the disconnect achieved at the provider, by the code that the address then carries. */
export const DISCONNECTED: Record<Disconnected, string> = {
  revoked: 'Disconnected. The tokens are erased here, and the provider has ended the access.',
  already_gone: 'Disconnected. The tokens are erased here; at the provider the access had ended already.',
  unsupported:
    'Disconnected. The tokens are erased here. The provider cannot be told: remove Patchbay in your account there, too.',
  shared:
    'Disconnected. The tokens are erased here. Another connection uses the same account, so the provider was not told.',
  failed_will_retry:
    'Disconnected. The tokens are erased here. The provider could not be told yet: that is tried again for up to seven days.',
  not_connected: 'There was nothing to disconnect.',
};
