import type { Page } from '../../http/index.ts';
import { type Html, html } from '../../platform/index.ts';

/** Another site may have led here: the person says whether that was meant. The link is followed from our own page. */
export const connectPage = ({ name, team, address }: { name: string; team: string; address: string }): Page => ({
  title: `Connect ${name}?`,
  content: html`<p>This connects ${name} to the team <strong>${team}</strong>.</p>
<p><a class="button" href="${address}">Connect ${name}</a></p>
<p class="quiet">Didn’t ask for this? Close the page. Nothing has happened yet.</p>`,
});

type Ending = { name: string; provider: string };

export const connectedPage = ({ name, provider, account }: Ending & { account: string | null }): Page => ({
  title: `${name} is connected`,
  content: html`<p>${account ? html`As <strong>${account}</strong>. ` : ''}Your team can use it from now on.</p>
<p><a class="button" href="/integrations/${provider}">Continue</a></p>`,
});

export const failedPage = ({ name, provider, message }: Ending & { message: string }): Page => ({
  title: `${name} was not connected`,
  content: html`<p>${message}</p>
<p><a class="button" href="/integrations/${provider}">Try again</a></p>`,
});

/** The answer could not be taken at all: whether anything is connected, the provider's page knows. */
export const refusedPage = ({ name, provider, message }: Ending & { message: string }): Page => ({
  title: 'That did not work',
  content: html`<p>${message}</p>
<p><a class="button" href="/integrations/${provider}">Go to ${name}</a></p>`,
});

export type ConfirmView = {
  name: string;
  provider: string;
  /** Null where that is not for the visitor to know. */
  who: string | null;
  team: string;
  attempt: string;
  /** Who is signed in here: nobody, the one who began, or somebody else. */
  visitor: 'nobody' | 'other' | { csrfToken: string };
};

const wayOn = ({ name, provider, attempt, visitor }: ConfirmView): Html => {
  const finish = `/integrations/${provider}/finish`;
  const here = `${finish}?attempt=${attempt}`;
  if (visitor === 'nobody')
    return html`<p><a class="button" href="/sign-in?returnTo=${encodeURIComponent(here)}">Sign in to finish</a></p>`;
  if (visitor === 'other')
    return html`<p>You are signed in as somebody else. Sign out, and open this page again as the one who began.</p>`;
  return html`<form method="post" action="${finish}"><input type="hidden" name="_csrf" value="${visitor.csrfToken}"><input type="hidden" name="attempt" value="${attempt}"><button>I began this: connect ${name}</button></form>`;
};

/** The provider has answered in a browser that has not proved whose it is. */
export const confirmPage = (view: ConfirmView): Page => ({
  title: `Finish connecting ${view.name}`,
  content: html`<p>${view.who === null ? html`Somebody began to connect ${view.name}` : html`<strong>${view.who}</strong> began to connect ${view.name} to the team <strong>${view.team}</strong>`}, and only they can finish it.</p>
${wayOn(view)}
<p class="quiet">If somebody sent you here, close this page. Nothing is connected without this step.</p>`,
});
