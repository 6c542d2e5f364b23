import type { ListedProvider } from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { field } from '../../form.ts';
import { labelOf } from '../label.ts';

type Param = ListedProvider['params'][number];
type Values = Readonly<Record<string, string>>;

/** A field for each param, as it was filled in, as it is known, or with its default. */
export const paramFields = (params: readonly Param[], prefix: string, values: Values, required: boolean): Html[] =>
  params.map(({ name, about, example, default: standard }) =>
    field({
      name: `${prefix}.${name}`,
      label: labelOf(name),
      value: values[name] ?? (required ? standard : ''),
      hint: html`${about}${example === '' ? '' : html` For example, <code>${example}</code>.`}`,
      required: required && standard === null,
    }),
  );

/** Asks for what the provider's URL needs. It submits to a page of ours, which links to the provider. */
export const connectForm = ({ id, name, params }: ListedProvider, values: Values): Html =>
  html`<form action="/integrations/${id}/connect">${paramFields(params, 'params', values, true)}<button>Connect ${name}</button></form>`;
