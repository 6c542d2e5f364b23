import type { Page } from '../../http/index.ts';
import { type Html, html } from '../../platform/index.ts';
import type { Membership } from '../records/membership-store.ts';

const byMail = html`<form method="post" action="/sign-in">
<p class="field"><label for="email">Your email address</label>
<input id="email" name="email" type="email" autocomplete="email" required></p>
<button>Email me a link</button>
</form>`;

const byHand = html`<p>Don’t have a link? Ask a team admin to invite you. Your Patchbay administrator can also create one with:</p>
<p><code>npm run patchbay -- user link you@example.com</code></p>`;

/**
 * The page with all ways to sign in, except a link that an admin handed over. `outside` is the host of the operator's
 * identity provider. Its button is a link, because our content security policy doesn't allow forms that lead to other
 * sites.
 */
export const signInPage = ({ mail, outside, url }: { mail: boolean; outside: string | null; url: string }): Page => ({
  title: 'Sign in',
  social: { url, description: "Your team's phone calls and connected accounts in one place." },
  content: html`${outside ? html`<p><a class="button" href="/sign-in/outside">Sign in with ${outside}</a></p>` : ''}
<p>Patchbay doesn’t use passwords. ${mail ? 'Enter your email address to get a sign-in link.' : 'Open the sign-in link you were sent.'}</p>
${mail ? byMail : byHand}`,
});

export const linkMailedPage = (email: string): Page => ({
  title: 'Check your email',
  content: html`<p>If <strong>${email}</strong> belongs to a member, a sign-in link is on its way. It works once and expires in a day.</p>
<p class="quiet">Nothing after a few minutes? Check your spam folder, then <a href="/sign-in">request another</a>.</p>`,
});

export const confirmLinkPage = (who: string, team: string, action: string): Page => ({
  title: 'Sign in to Patchbay',
  content: html`<dl><dt>Sign in as</dt><dd>${who}</dd><dt>Team</dt><dd>${team}</dd></dl>
<form method="post" action="${action}"><button>Sign in</button></form>
<p class="quiet">This link works once. If this isn’t you, close this page.</p>`,
});

const csrfField = (csrfToken: string): Html => html`<input type="hidden" name="_csrf" value="${csrfToken}">`;

const signOutForm = (csrfToken: string): Html =>
  html`<form method="post" action="/sign-out">${csrfField(csrfToken)}<button class="plain">Sign out</button></form>`;

export const anotherPage = (message: string, csrfToken: string): Page => ({
  title: 'Someone else is signed in',
  content: html`<p>${message}</p>
${signOutForm(csrfToken)}
<p><a href="/">Home</a></p>`,
});

export const signedInPage = (who: string, team: string, csrfToken: string): Page => ({
  title: 'You’re signed in',
  content: html`<dl><dt>Signed in as</dt><dd>${who}</dd><dt>Team</dt><dd>${team}</dd></dl>
${signOutForm(csrfToken)}`,
});

/** The page after signing in, for a person in several teams. */
export const teamChoicePage = (memberships: readonly Membership[], action: string, csrfToken: string): Page => ({
  title: 'Choose a team',
  content: html`<form method="post" action="${action}">${csrfField(csrfToken)}
${memberships.map(
  ({ teamId, teamName, invited }) =>
    html`<p><button class="plain" name="team" value="${teamId}">${teamName}</button>${invited ? html` <span class="quiet">Invitation</span>` : ''}</p>`,
)}</form>
<p class="quiet">You can switch teams on any page.</p>`,
});
