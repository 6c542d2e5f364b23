import type { Forecast } from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { showText } from '../../display/shown-text.ts';
import { postForm } from '../../form.ts';
import type { DashboardPage } from '../../frame.ts';
import { factList, table } from '../../parts.ts';
import type { Person } from '../../person.ts';
import { type Described, describeWhat, isTokenOnly } from './containment-words.ts';
import { tokenUseWords } from './token-use-words.ts';

export type ForecastPageView = {
  forecast: Forecast;
  asked: Described & { reason: string };
  names: ReadonlyMap<string, string>;
  title: string;
  /** The form that begins it. */
  action: string;
  fields: Html;
  button: string;
  /** Where Cancel leads. */
  back: string;
};

const plural = (count: number, noun: string): Html[] =>
  count === 0 ? [] : [html`<strong>${count} ${noun}${count !== 1 && 's'}</strong>`];

const WAYS: Readonly<Record<Forecast['providers'][number]['revocation'], string>> = {
  possible: 'Patchbay ends access at the provider',
  unsupported: 'A person has to remove access at the provider',
  unknown: 'A person has to remove access at the provider',
};

const effect = ({ forecast, asked }: ForecastPageView): Html => {
  const [first, second] = [...plural(forecast.connections, 'connection'), ...plural(forecast.tokens, 'access token')];
  if (!first) return html`<p>Nothing that exists now matches, so there is nothing to stop.</p>`;
  return html`<p>This stops ${first}${second && html` and ${second}`}. Programs that use what is stopped get errors until you lift it${asked.revoke && ', and what is ended at the providers has to be connected again'}. Browser sessions go on.</p>
${isTokenOnly(asked) && html`<p>${tokenUseWords(asked)}</p>`}`;
};

const providersTable = ({ forecast: { providers }, asked: { revoke }, names }: ForecastPageView): Html =>
  table({
    label: 'By provider',
    kind: 'stack',
    heads: ['Provider', 'Connections', revoke && 'Access at the provider'],
    rows: providers.map(
      (one) =>
        html`<tr><th scope="row">${names.get(one.provider) ?? one.provider}</th><td data-label="Connections">${one.connections}</td>${
          revoke &&
          html`<td data-label="Access at the provider">${WAYS[one.revocation]}${one.where !== null && html`<span class="under">${one.where}</span>`}</td>`
        }</tr>\n`,
    ),
  });

/** Says what would be stopped, and asks whether to do it. */
export const forecastPage = (person: Person, view: ForecastPageView): DashboardPage => {
  const { forecast, asked, names, title, action, fields, button, back } = view;
  const { connections, tokens, providers } = forecast;
  return {
    title,
    content: html`<div class="sheet asks">${factList([
      ['What', describeWhat(asked, names, person.region)],
      ['What happened', showText(asked.reason)],
      ['At the providers', asked.revoke ? 'access is ended where possible' : 'access goes on'],
    ])}
${effect(view)}
${providers.length > 0 && providersTable(view)}
<div class="row">${connections + tokens > 0 && postForm(person, { action, content: fields, button, kind: 'danger' })}<a class="button plain" href="${back}">Cancel</a></div></div>`,
  };
};
