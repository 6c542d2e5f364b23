import type { Forecast } from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { postForm } from '../../form.ts';
import type { DashboardPage } from '../../frame.ts';
import { table } from '../../parts.ts';
import type { Person } from '../../person.ts';
import type { EnteredContainment } from './containment-form.ts';
import { CONTAINMENT } from './containment-words.ts';

type ForecastPageView = {
  forecast: Forecast;
  entered: EnteredContainment;
  names: ReadonlyMap<string, string>;
};

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const WAYS: Readonly<Record<Forecast['providers'][number]['revocation'], string>> = {
  possible: 'Patchbay ends access at the provider',
  unsupported: 'A person has to remove access at the provider',
  unknown: 'A person has to remove access at the provider',
};

const hidden = (name: string, value: string): Html => html`<input type="hidden" name="${name}" value="${value}">`;

/** Says what would be stopped, and asks whether to do it. */
export const forecastPage = (person: Person, { forecast, entered, names }: ForecastPageView): DashboardPage => {
  const { connections, tokens, providers } = forecast;
  const { reason, what, revoke } = entered;
  const isNothing = connections + tokens === 0;
  const fields = html`${hidden('reason', reason)}${hidden('what', what)}${revoke !== undefined && hidden('revoke', revoke)}`;
  return {
    title: 'Stop this?',
    under: [CONTAINMENT],
    content: html`<div class="sheet asks"><p>${
      isNothing
        ? 'Nothing that exists now matches, so there is nothing to stop.'
        : html`This stops <strong>${plural(connections, 'connection')}</strong> and <strong>${plural(tokens, 'access token')}</strong>. Programs that use them get errors until you lift it${revoke !== undefined && html`, and what is ended at the providers has to be connected again`}. Browser sessions go on.`
    }</p>
${
  providers.length > 0 &&
  table({
    label: 'By provider',
    kind: 'stack',
    heads: ['Provider', 'Connections', revoke !== undefined && 'Access at the provider'],
    rows: providers.map(
      (one) =>
        html`<tr><th scope="row">${names.get(one.provider) ?? one.provider}</th><td data-label="Connections">${one.connections}</td>${
          revoke !== undefined &&
          html`<td data-label="Access at the provider">${WAYS[one.revocation]}${one.where !== null && html`<span class="under">${one.where}</span>`}</td>`
        }</tr>\n`,
    ),
  })
}
<div class="row">${!isNothing && postForm(person, { action: CONTAINMENT.path, content: fields, button: 'Stop it now', kind: 'danger' })}<a class="button plain" href="${CONTAINMENT.path}">Cancel</a></div></div>`,
  };
};
