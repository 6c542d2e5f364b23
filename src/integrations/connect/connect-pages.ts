import type { Page } from '../../http/index.ts';
import { type Html, html } from '../../platform/index.ts';

type ConnectView = { name: string; team: string; address: string; replaces: { label: string | null } | null };

/**
 * Asks the person to confirm, because another site may have sent them here. The link on this page starts the connect.
 */
export const connectPage = ({ name, team, address, replaces }: ConnectView): Page => ({
  title: `Connect ${name}?`,
  content: html`<p>This connects ${name} to the team <strong>${team}</strong>.</p>
${replaces && html`<p>It’s already connected${replaces.label && html` as <strong>${replaces.label}</strong>`}. If you choose a different account there, it replaces that one.</p>`}
<p><a class="button" href="${address}">Connect ${name}</a></p>
<p class="quiet">Didn’t ask for this? Close this page. Nothing has happened yet.</p>`,
});

type Ending = { name: string; provider: string };

/** `siteWord`: the provider's word for a site, if the person has to choose one. */
export type Connected = { account: string | null; siteWord: string | null };

export const connectedPage = ({
  name,
  provider,
  connection,
  account,
  siteWord,
}: Ending & Connected & { connection: string }): Page => ({
  title: `${name} is connected`,
  content: html`<p>${account ? html`Connected as <strong>${account}</strong>. ` : ''}${siteWord ? `Next, choose the ${siteWord} that your team uses.` : 'Your team can use it now.'}</p>
<p>${
    siteWord
      ? html`<a class="button" href="/integrations/${provider}/connections/${connection}/site">Choose the ${siteWord}</a>`
      : html`<a class="button" href="/integrations/${provider}">Continue</a>`
  }</p>`,
});

export const failedPage = ({ name, provider, message }: Ending & { message: string }): Page => ({
  title: `Connecting ${name} failed`,
  content: html`<p>${message}</p>
<p><a class="button" href="/integrations/${provider}">Try again</a></p>`,
});

/**
 * Shown if the provider's response can't be used at all. It links to the dashboard's page about the provider, which
 * shows whether anything is connected.
 */
export const refusedPage = ({ name, provider, message }: Ending & { message: string }): Page => ({
  title: 'Something went wrong',
  content: html`<p>${message}</p>
<p><a class="button" href="/integrations/${provider}">Go to ${name}</a></p>`,
});

export type ConfirmView = {
  name: string;
  provider: string;
  /** The person who started the connect. Null if the visitor may not know. */
  who: string | null;
  team: string;
  attempt: string;
  /** Who is signed in: nobody, someone else, or the person who started the connect, with their CSRF token. */
  visitor: 'nobody' | 'other' | { csrfToken: string };
};

const wayOn = ({ name, provider, attempt, visitor }: ConfirmView): Html => {
  const finish = `/integrations/${provider}/finish`;
  const here = `${finish}?attempt=${attempt}`;
  if (visitor === 'nobody')
    return html`<p><a class="button" href="/sign-in?returnTo=${encodeURIComponent(here)}">Sign in to finish</a></p>`;
  if (visitor === 'other')
    return html`<p>You’re signed in as someone else. Sign out, then sign in as the person who started and open this page again.</p>`;
  return html`<form method="post" action="${finish}"><input type="hidden" name="_csrf" value="${visitor.csrfToken}"><input type="hidden" name="attempt" value="${attempt}"><button>Yes, connect ${name}</button></form>`;
};

/** Shown if the callback arrived with neither the cookie nor the session of the person who started the connect. */
export const confirmPage = (view: ConfirmView): Page => ({
  title: `Finish connecting ${view.name}`,
  content: html`<p>${view.who === null ? html`Someone started connecting ${view.name}` : html`<strong>${view.who}</strong> started connecting ${view.name} to the team <strong>${view.team}</strong>`}. Only they can finish it.</p>
${wayOn(view)}
<p class="quiet">If someone sent you here, close this page. Nothing is connected without this step.</p>`,
});
