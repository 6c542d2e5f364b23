import type { Page } from '../../http/index.ts';
import { type Html, html } from '../../platform/index.ts';

type Ways = { mail: boolean; outside: string | null };

const byMail = html`<form method="post" action="/sign-in">
<p class="field"><label for="email">Your e-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" required></p>
<button>Mail me a link</button>
</form>`;

const byHand = html`<p>You have no link? An admin of your team can invite you. Whoever runs this Patchbay can make one with</p>
<p><code>npm run patchbay -- user link you@example.com</code></p>`;

/** `outside` is the host of the operator's identity provider. A link, because a form may not lead to another site. */
export const signInPage = ({ mail, outside }: Ways): Page => ({
  title: 'Sign in',
  content: html`${outside ? html`<p><a class="button" href="/sign-in/outside">Sign in with ${outside}</a></p>` : ''}
<p>Patchbay has no passwords. ${mail ? 'A link that is mailed to you signs you in.' : 'Open the sign-in link that you were sent.'}</p>
${mail ? byMail : byHand}`,
});

export const linkMailedPage = (email: string): Page => ({
  title: 'Look into your mail',
  content: html`<p>If <strong>${email}</strong> belongs to somebody here, a link is on its way. It works once, within a day.</p>
<p class="quiet">Nothing there after a few minutes? Look among the spam, then <a href="/sign-in">ask once more</a>.</p>`,
});

export const confirmLinkPage = (who: string, team: string, action: string): Page => ({
  title: 'Sign in to Patchbay',
  content: html`<dl><dt>You are</dt><dd>${who}</dd><dt>Team</dt><dd>${team}</dd></dl>
<form method="post" action="${action}"><button>Sign in</button></form>
<p class="quiet">The link works once. If this is not you, close the page.</p>`,
});

const signOutForm = (csrfToken: string): Html =>
  html`<form method="post" action="/sign-out"><input type="hidden" name="_csrf" value="${csrfToken}"><button class="plain">Sign out</button></form>`;

export const anotherPage = (message: string, csrfToken: string): Page => ({
  title: 'Somebody else is signed in',
  content: html`<p>${message}</p>
${signOutForm(csrfToken)}
<p><a href="/">Home</a></p>`,
});

export const signedInPage = (who: string, team: string, csrfToken: string): Page => ({
  title: 'You are signed in',
  content: html`<dl><dt>You are</dt><dd>${who}</dd><dt>Team</dt><dd>${team}</dd></dl>
${signOutForm(csrfToken)}`,
});
