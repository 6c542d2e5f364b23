import type { Page } from '../../http/index.ts';
import { html } from '../../platform/index.ts';

export const tokenPage = (token: string, expiresAt: string): Page => ({
  title: 'Your access token',
  content: html`<p>It is shown only here, and works until ${expiresAt}.</p>
<p><code>${token}</code></p>
<p><a href="/settings">Back</a> · <a href="/docs">Try it</a></p>`,
});
