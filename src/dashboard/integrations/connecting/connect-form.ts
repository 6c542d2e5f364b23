import type { ListedProvider } from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { field } from '../../form.ts';
import type { DashboardPage } from '../../frame.ts';
import { labelOf } from '../../notice.ts';
import { factList } from '../../parts.ts';
import type { Entry } from '../entry.ts';
import { connectAddress } from './connect-link.ts';

type Param = ListedProvider['params'][number];
type Values = Readonly<Record<string, string>>;

/** A field for each param, with what was entered, the saved value, or the default. */
export const paramFields = (params: readonly Param[], prefix: string, values: Values, required: boolean): Html[] =>
  params.map(({ name, about, example, default: standard }) =>
    field({
      name: `${prefix}.${name}`,
      label: labelOf(name),
      value: values[name] ?? (required ? standard : ''),
      hint: html`${about}${example && html` For example, <code>${example}</code>.`}`,
      required: required && standard === null,
    }),
  );

/** Asks for what the provider's URL needs. It submits to a page of ours, which links to the provider. */
export const connectForm = ({ id, name, params }: ListedProvider, values: Values): Html =>
  html`<form action="/integrations/${id}/connect">${paramFields(params, 'params', values, true)}<button>Connect ${name}</button></form>`;

/** Between the form and the provider: what was filled in, and the link that leads there. */
export const continuePage = (entry: Entry, team: string, params: Values): DashboardPage => ({
  title: `Connect ${entry.name}`,
  content: html`<div class="sheet asks"><p>${entry.name} will ask you to let the team <strong>${team}</strong> use your account. Then you'll be sent back here.</p>
${factList(Object.entries(params).map(([param, value]) => [labelOf(param), value]))}
<div class="integration-actions"><a class="button" href="${connectAddress(entry, params)}">Continue to ${entry.name}</a><a class="button plain" href="/integrations/${entry.id}">Edit details</a></div></div>`,
});
