import type { Brand, Page } from '../../http/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { connectionTitle } from '../connections/connection-name.ts';
import type { Integration } from '../connections/status.ts';

/** The team and user that the page acts for. Shown so that nobody connects their account to someone else's team. */
export type Who = { team: string; user: string };

export const whoList = ({ team, user }: Who): Html =>
  html`<dl><dt>Team</dt><dd>${team}</dd><dt>You</dt><dd>${user}</dd></dl>`;

/** `replaced`: the team and user for whom this browser already has the page open. */
type Opening = { action: string; ticket: string; replaced: Who | null };

export const ticketPage = (brand: Brand, who: Who, { action, ticket, replaced }: Opening): Page => ({
  brand,
  title: 'Connect your accounts',
  content: html`${whoList(who)}
${replaced ? html`<p>This page is already open in this browser for <strong>${replaced.user}</strong> in the team <strong>${replaced.team}</strong>. If you continue, that page stops working.</p>` : ''}
<form method="post" action="${action}"><input type="hidden" name="ticket" value="${ticket}"><button>Continue</button></form>
<p class="quiet">This link works once. If this isn’t you, close this page.</p>`,
});

const STATES: Record<Integration['status'], string> = {
  connected: 'Connected',
  degraded: 'Connected, with temporary trouble',
  needs_reconnect: 'Needs to be reconnected',
  disconnected: 'Not connected',
};

type Which = Pick<Integration, 'provider' | 'connection'>;
export type Actions = {
  connect(which: Which & Pick<Integration, 'account'>): string;
  add(provider: string, connection?: string): string;
  site(which: Which): string;
  disconnect(which: Which): string;
};

/** Shows the chosen site, and a link to choose one. */
const sitePart = (integration: Integration, word: string | null, actions: Actions): Html | null => {
  const { status, site, siteNeeded } = integration;
  if (word === null || (status !== 'connected' && status !== 'degraded')) return null;
  const title = connectionTitle(integration);
  const [verb, kind] = siteNeeded ? ['Choose', ''] : [site ? 'Change' : 'Choose', ' plain'];
  return html`<p>${site && html`The ${word} is <strong>${site.label}</strong>. `}<a class="button${kind}" href="${actions.site(integration)}" aria-label="${verb} the ${word} for ${title}">${verb} the ${word}</a></p>`;
};

const entry = (integration: Integration, isLast: boolean, word: string | null, actions: Actions): Html => {
  const { status, account, provider } = integration;
  const name = connectionTitle(integration);
  const isThere = status !== 'disconnected';
  const label = account?.label;
  const verb = isThere ? 'Reconnect' : 'Connect';
  // A plain button if the connection works, because the person doesn't have to do anything.
  const kind = status === 'connected' || status === 'degraded' ? ' plain' : '';
  return html`<section class="sheet"><h2>${name}</h2>
<p>${STATES[status]}${label ? html` as <strong>${label}</strong>` : ''}</p>
${sitePart(integration, word, actions)}<p><a class="button${kind}" href="${actions.connect(integration)}" aria-label="${verb} ${name}">${verb}</a>
${isThere ? html`<a class="button plain" href="${actions.disconnect(integration)}" aria-label="Disconnect ${name}">Disconnect</a>` : ''}</p>
${isThere && isLast ? html`<p><a href="${actions.add(provider)}">Add another ${integration.name} account</a></p>` : ''}</section>`;
};

/** `settings`: the settings that the operator has to set. Null if the page must not name them. */
type Unavailable = { name: string; settings: readonly string[] | null };

const unavailableEntry = (brand: Brand, { name, settings }: Unavailable): Html =>
  html`<section class="sheet"><h2>${name}</h2>
<p>Not available yet, because it isn’t set up. Tell ${brand.name}, and reload this page once it is.</p>
${settings && html`<p class="quiet">If you run Patchbay: set ${settings.join(' and ')}, then restart it. In production, your customers don’t see this line.</p>`}</section>`;

type ListView = {
  who: Who;
  integrations: readonly Integration[];
  /** Providers of the session that nobody has set up yet. */
  unavailable: readonly Unavailable[];
  /** The provider's word for a site. Null if there is no site to choose. */
  siteWord(provider: string): string | null;
  notice: Html | null;
  returnTo: string | null;
};

export const listPage = (
  brand: Brand,
  { who, integrations, unavailable, returnTo, ...view }: ListView,
  actions: Actions,
): Page => ({
  brand,
  title: 'Your accounts',
  content: html`${view.notice}${whoList(who)}
${
  integrations.length > 0
    ? integrations.map((integration, index) =>
        entry(
          integration,
          integrations[index + 1]?.provider !== integration.provider,
          view.siteWord(integration.provider),
          actions,
        ),
      )
    : unavailable.length === 0 &&
      html`<p>There is nothing to connect yet. Ask ${brand.name} which integrations are available.</p>`
}${unavailable.map((one) => unavailableEntry(brand, one))}
${returnTo ? html`<p><a href="${returnTo}">Done</a></p>` : html`<p class="quiet">When you’re done, close this page.</p>`}`,
});

type Question = { name: string; account: string | null; who: Who; csrfToken: string; action: string; back: string };

export const disconnectPage = (brand: Brand, { name, account, who, csrfToken, action, back }: Question): Page => ({
  brand,
  title: `Disconnect ${name}?`,
  content: html`${whoList(who)}
<p>${brand.name} will lose access to ${account ? html`<strong>${account}</strong>` : 'this account'}. You can connect it again at any time.</p>
<form method="post" action="${action}"><input type="hidden" name="_csrf" value="${csrfToken}"><button>Disconnect ${name}</button></form>
<p><a href="${back}">Cancel</a></p>`,
});

/** Shows a refusal, with a link back. */
export const hostedRefusalPage = (brand: Brand, message: string, back: string): Page => ({
  brand,
  title: 'Something went wrong',
  content: html`<p>${message}</p>
<p><a class="button" href="${back}">Back</a></p>`,
});

export const endedPage = (brand: Brand): Page => ({
  brand,
  title: 'This session has ended',
  content: html`<p>Go back to the app that sent you here and open the page again.</p>`,
});
