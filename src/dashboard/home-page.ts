import type { Page } from '../http/index.ts';
import type { Integration } from '../integrations/index.ts';
import { type Html, html } from '../platform/index.ts';
import { integrationsSection } from './integrations-section.ts';

export type HomeView = {
  who: string;
  team: string;
  role: string;
  csrfToken: string;
  integrations: readonly Integration[];
  /** What has just happened, if the person comes back from a provider. */
  notice: Html | null;
};

export const homePage = ({ who, team, role, csrfToken, integrations, notice }: HomeView): Page => ({
  title: team,
  content: html`${notice}<dl><dt>You are</dt><dd>${who}</dd><dt>Role</dt><dd>${role}</dd></dl>
${integrationsSection(integrations, csrfToken)}
<h2>API</h2>
<p>Everything here is an API first. Make yourself an access token, then <a href="/docs">browse and try it</a>: press
“Authorize” there and paste the token.</p>
<form method="post" action="/access-token"><input type="hidden" name="_csrf" value="${csrfToken}"><button>Make an access token</button></form>
<form method="post" action="/sign-out"><input type="hidden" name="_csrf" value="${csrfToken}"><button class="plain">Sign out</button></form>`,
});

export const tokenPage = (token: string, expiresAt: string): Page => ({
  title: 'Your access token',
  content: html`<p>It is shown only here, and works until ${expiresAt}.</p>
<p><code>${token}</code></p>
<p><a href="/">Back</a> · <a href="/docs">Try it</a></p>`,
});
