import type { Integration } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';

const WORDS: Record<Integration['status'], string> = {
  connected: 'connected',
  degraded: 'connected, with trouble that should pass',
  needs_reconnect: 'must be connected again',
  disconnected: 'not connected',
};

const describe = ({ status, account, lastError }: Integration): Html => {
  const as = account?.label ? html` as <strong>${account.label}</strong>` : '';
  return html`${WORDS[status]}${as}${lastError ? html`<br><span class="quiet">${lastError}</span>` : ''}`;
};

/** Connect is a link: a form could not lead to a provider (Content-Security-Policy, form-action). */
const actions = ({ provider, status }: Integration, csrfToken: string): Html => {
  const connect = html`<a class="button" href="/api/integrations/${provider}/connect?returnTo=%2Fintegrations">${status === 'disconnected' ? 'Connect' : 'Reconnect'}</a>`;
  const disconnect = html`<form method="post" action="/integrations/${provider}/disconnect"><input type="hidden" name="_csrf" value="${csrfToken}"><button class="plain">Disconnect</button></form>`;
  if (status === 'disconnected') return connect;
  return status === 'connected' ? disconnect : html`${connect} ${disconnect}`;
};

export const integrationsSection = (
  integrations: readonly Integration[],
  csrfToken: string,
  notice: Html | null,
): Html =>
  integrations.length === 0
    ? html`${notice}<p>No provider is set up yet. <code>GET /api/integrations/providers</code> lists all that are known, with the two settings and
the callback address that each needs.</p>`
    : html`${notice}<table><tbody>
${integrations.map(
  (integration) =>
    html`<tr><th scope="row">${integration.name}</th><td>${describe(integration)}</td><td>${actions(integration, csrfToken)}</td></tr>
`,
)}</tbody></table>`;

const REVOCATIONS = {
  revoked: 'The provider was told, and has ended it.',
  already_gone: 'At the provider it had ended already.',
  unsupported: 'This provider cannot be told: remove the app in your account there, too.',
  shared: 'Another connection uses the same account, so the provider was not told.',
  failed_will_retry: 'The provider could not be told yet. It is tried again for up to seven days.',
  not_connected: 'There was nothing to disconnect.',
} as const;

export const disconnectedPage = (name: string, revocation: keyof typeof REVOCATIONS) => ({
  title: `${name} is disconnected`,
  content: html`<p>The tokens are erased here. ${REVOCATIONS[revocation]}</p>
<p><a href="/integrations">Back</a></p>`,
});
