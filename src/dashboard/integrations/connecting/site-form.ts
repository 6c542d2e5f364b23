import { connectionTitle } from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { choice, postForm } from '../../form.ts';
import type { DashboardPage } from '../../frame.ts';
import { labelOf } from '../../notice.ts';
import type { Person } from '../../person.ts';
import { providerPlace, type ShownConnection } from '../entry.ts';

/** The URL of the page for choosing a connection's site. */
const siteAddress = ({ provider, connection }: ShownConnection): string =>
  `/integrations/${provider}/connections/${connection}/site`;

/** A link to choose the site. `word`: what the provider calls a site. */
export const siteLink = (held: ShownConnection, word: string): Html => {
  const verb = held.site ? 'Change' : 'Choose';
  return html`<a class="button${!held.siteNeeded && ' plain'}" href="${siteAddress(held)}">${verb} the ${word}<span class="unseen"> for ${connectionTitle(held)}</span></a>`;
};

const form = (
  person: Person,
  held: ShownConnection,
  word: string,
  sites: readonly { id: string; label: string }[],
): Html =>
  postForm(person, {
    action: siteAddress(held),
    content: choice({
      name: 'site',
      label: labelOf(word),
      value: held.site?.id ?? '',
      options: sites.map(({ id, label }) => ({ value: id, label })),
      hint: `Requests through the proxy that need one go to this ${word}. Your team's apps may have to know if you change it.`,
    }),
    button: `Use this ${word}`,
  });

/** Asks which of the sites that the person approved should be used. */
export const chooseSitePage = (
  person: Person,
  held: ShownConnection,
  { word, sites }: { word: string; sites: readonly { id: string; label: string }[] },
): DashboardPage => {
  const { provider, name } = held;
  return {
    title: `Choose the ${word} for ${connectionTitle(held)}`,
    under: [providerPlace({ id: provider, name })],
    content: html`<div class="sheet asks">${
      sites.length > 0
        ? form(person, held, word, sites)
        : html`<p>${name} lists no ${word} for this account. Check that the account has access to one there, and that the scopes include it. Then reconnect.</p>`
    }
<p><a href="/integrations/${provider}">Back to ${name}</a></p></div>`,
  };
};
