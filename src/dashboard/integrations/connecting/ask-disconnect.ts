import { connectionTitle, type Disconnected } from '../../../integrations/index.ts';
import { html } from '../../../platform/index.ts';
import type { Question } from '../../ask-page.ts';
import { providerPlace, type ShownConnection } from '../entry.ts';

const atProvider = (name: string, isRevocable: boolean | null, removal: string | undefined): string => {
  if (isRevocable === null) return `Patchbay asks ${name} to revoke access, if it supports that.`;
  return isRevocable
    ? `Patchbay asks ${name} to revoke access. If it can't be reached, Patchbay keeps trying for up to seven days.`
    : `Patchbay can't revoke access at ${name}. Afterward, remove Patchbay in your account there too${removal ? `: ${removal}` : '.'}`;
};

/** The confirmation before an OAuth connection is disconnected. */
export const askDisconnect = (
  connection: ShownConnection,
  { isRevocable, removal }: { isRevocable: boolean | null; removal?: string | undefined },
): Question => {
  const { provider, name, account } = connection;
  const { label } = account;
  const title = `Disconnect ${connectionTitle(connection)}`;
  return {
    title: `${title}?`,
    content: html`<ul>
<li>The tokens${label && html` for <strong>${label}</strong>`} are deleted from Patchbay immediately.</li>
<li>${atProvider(name, isRevocable, removal)}</li>
<li>Any of your team's apps that use them will stop working. You can reconnect at any time.</li></ul>`,
    button: title,
    back: `/integrations/${provider}`,
    under: [providerPlace({ id: provider, name })],
  };
};

/** The confirmation before a key is disconnected. Only its owner can revoke the key at the provider. */
export const askDisconnectKey = (connection: ShownConnection): Question => {
  const { provider, name, account } = connection;
  const title = `Disconnect ${connectionTitle(connection)}`;
  return {
    title: `${title}?`,
    content: html`<ul>
<li>The key${account.label && html` for <strong>${account.label}</strong>`} is deleted from Patchbay immediately.</li>
<li>It stays valid at ${name}. If nothing else uses it, delete it there too.</li>
<li>Any of your team's apps that use it through Patchbay will stop working.</li></ul>`,
    button: title,
    back: `/integrations/${provider}`,
    under: [providerPlace({ id: provider, name })],
  };
};

/** Messages after a disconnect, by the code in the URL. They say what happened at the provider. */
export const DISCONNECTED: Record<Disconnected, string> = {
  revoked: 'Disconnected. The tokens are deleted, and the provider has revoked access.',
  already_gone: 'Disconnected. The tokens are deleted. Access at the provider had already ended.',
  unsupported:
    "Disconnected. The tokens or the key are deleted. Access can't be revoked from here, so remove it in your account at the provider too.",
  unknown:
    "Disconnected. The tokens are deleted. Patchbay doesn't know how to revoke access at this provider, so remove it in your account there too.",
  shared:
    "Disconnected. The tokens are deleted. Another connection uses the same account, so access there wasn't revoked.",
  failed_will_retry:
    "Disconnected. The tokens are deleted. Access couldn't be revoked yet. Patchbay keeps trying for up to seven days.",
  not_connected: 'There was nothing to disconnect.',
};
