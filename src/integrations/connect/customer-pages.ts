import type { Page } from '../../http/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { HOSTED_PAGE } from '../../teams/index.ts';
import type { Connected } from './connect-pages.ts';
import type { WayBack } from './product.ts';

const wayOn = ({ product, href }: WayBack): Html => {
  if (href === null) return html`<p>Close this page and go back to ${product.name}.</p>`;
  const place = href === HOSTED_PAGE ? 'your accounts' : product.name;
  return html`<p><a class="button" href="${href}">Back to ${place}</a></p>`;
};

/** The last page of a connect for a customer's user. Other users get pages that lead to the dashboard. */
export const customerConnectedPage = (back: WayBack, { name, account, siteWord }: { name: string } & Connected) =>
  ({
    brand: back.product.brand,
    title: `${name} is connected`,
    content: html`${account ? html`<p>Connected as <strong>${account}</strong>.</p>` : ''}
${siteWord ? html`<p>Next, choose the ${siteWord} to use. Go back to do that.</p>` : ''}
${wayOn(back)}`,
  }) satisfies Page;

export const customerFailedPage = (back: WayBack, { title, message }: { title: string; message: string }): Page => ({
  brand: back.product.brand,
  title,
  content: html`<p>${message}</p>
${wayOn(back)}`,
});

type Confirm = { name: string; who: string | null; team: string };

/**
 * Shown if the browser may not be the one that started the connect. Only the product can finish the connect, because
 * customers' users don't sign in here.
 */
export const customerConfirmPage = (back: WayBack, { name, who, team }: Confirm): Page => ({
  brand: back.product.brand,
  title: `${name} isn’t connected yet`,
  content: html`<p>${who === null ? html`Someone started connecting ${name}` : html`<strong>${who}</strong> started connecting ${name} to the team <strong>${team}</strong>`}. This can only be finished where it was started.</p>
${wayOn(back)}
<p class="quiet">If someone sent you here, close this page. Nothing is connected without that step.</p>`,
});
