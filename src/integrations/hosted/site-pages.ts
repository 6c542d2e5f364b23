import type { Brand, Page } from '../../http/index.ts';
import { html } from '../../platform/index.ts';
import type { ListedSite } from '../requests/chosen-site.ts';
import { type Who, whoList } from './hosted-pages.ts';

type Choosing = {
  who: Who;
  /** The provider's name, followed by the connection's name unless that is `default`. */
  name: string;
  /** The provider's word for a site. */
  word: string;
  sites: readonly Pick<ListedSite, 'id' | 'label'>[];
  chosen: string | null;
  csrfToken: string;
  action: string;
  connectAgain: string;
  back: string;
};

/** The page for choosing one of the sites that the consent covers. */
export const sitePage = (brand: Brand, view: Choosing): Page => {
  const { name, word, sites, chosen, csrfToken, action } = view;
  const options = sites.map(
    ({ id, label }) => html`<option value="${id}"${id === chosen && html` selected`}>${label}</option>`,
  );
  return {
    brand,
    title: `Choose the ${word} for ${name}`,
    content: html`${whoList(view.who)}
${
  sites.length > 0
    ? html`<form method="post" action="${action}"><input type="hidden" name="_csrf" value="${csrfToken}">
<p><label for="site">Your account has access to ${sites.length === 1 ? `one ${word}` : `more than one ${word}`}. ${brand.name} will use this one:</label></p>
<p><select id="site" name="site">${options}</select></p><button>Use this ${word}</button></form>`
    : html`<p>${name} lists no ${word} for this account. Make sure that the account has access to one there, then reconnect.</p>
<p><a class="button" href="${view.connectAgain}">Reconnect ${name}</a></p>`
}
<p><a href="${view.back}">Back</a></p>`,
  };
};
