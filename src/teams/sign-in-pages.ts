import type { Page } from '../http/index.ts';
import { html } from '../platform/index.ts';

export const askForLinkPage: Page = {
  title: 'Sign in',
  content: html`<p>Patchbay has no passwords. Open the sign-in link that you were sent.</p>
<p>You have none? An admin of your team can invite you. Whoever runs this Patchbay can make a link with</p>
<p><code>npm run patchbay -- user link you@example.com</code></p>`,
};

export const confirmLinkPage = (who: string, team: string, action: string): Page => ({
  title: 'Sign in to Patchbay',
  content: html`<dl><dt>You are</dt><dd>${who}</dd><dt>Team</dt><dd>${team}</dd></dl>
<form method="post" action="${action}"><button>Sign in</button></form>
<p class="quiet">The link works once. If this is not you, close the page.</p>`,
});

export const signedInPage = (who: string, team: string, csrfToken: string): Page => ({
  title: 'You are signed in',
  content: html`<dl><dt>You are</dt><dd>${who}</dd><dt>Team</dt><dd>${team}</dd></dl>
<form method="post" action="/sign-out"><input type="hidden" name="_csrf" value="${csrfToken}"><button class="plain">Sign out</button></form>`,
});
