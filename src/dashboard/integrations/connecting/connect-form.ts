import { connectionTitle, DEFAULT_CONNECTION, type ListedProvider, parseScopes } from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { field, textArea } from '../../form.ts';
import type { DashboardPage } from '../../frame.ts';
import { labelOf } from '../../notice.ts';
import { factList } from '../../parts.ts';
import { listScopes } from '../connection-story.ts';
import { connectionNamed, type Entry, providerPlace, usesKey } from '../entry.ts';
import { connectAddress } from './connect-link.ts';

type Param = ListedProvider['params'][number];
type Values = Readonly<Record<string, string>>;

/** The values of a connect form. */
export type ConnectDraft = { connection: string; params: Values; scopes: string };

/** Turns a text like "Billing team" into a connection name, which is part of URLs: `billing-team`. */
export const toConnectionName = (text: string): string => text.trim().toLowerCase().replaceAll(/\s+/g, '-');

/** The scopes that a person entered. Null if they are the defaults. */
export const readScopes = ({ scopes }: ListedProvider, text: string): string[] | null => {
  const entered = parseScopes(text);
  const isUnchanged = entered.length === scopes.length && entered.every((scope) => scopes.includes(scope));
  return isUnchanged ? null : entered;
};

/** A field for each param, filled in from `values` or with the default. */
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

const nameField = ({ name }: ListedProvider, { connection }: ConnectDraft, required: boolean): Html =>
  field({
    name: 'connection',
    label: 'Name',
    value: connection,
    hint: `Tells your team's accounts at ${name} apart, for example “billing”. Letters, digits, - and _.${required ? '' : ` If empty: ${DEFAULT_CONNECTION}.`}`,
    required,
  });

const scopesField = ({ name, requiredScopes }: ListedProvider, { scopes }: ConnectDraft): Html =>
  textArea({
    name: 'scopes',
    label: 'Scopes to request',
    value: scopes,
    rows: 3,
    hint: `Separated by spaces or line breaks. What they mean is in the documentation of ${name}.${requiredScopes.length > 0 ? ` Always requested: ${requiredScopes.join(' ')}.` : ''}`,
  });

type Look = {
  /** Whether to ask for a name. A second account needs its own. */
  asksName: boolean;
  /** Whether to show all fields, as in a form that was refused. */
  isOpen: boolean;
};

/** A form with only the name. The next page asks for the key and everything else. */
const keyNameForm = (provider: ListedProvider, draft: ConnectDraft): Html =>
  html`<form action="/integrations/${provider.id}/connect">${nameField(provider, draft, true)}
<button>Continue</button></form>`;

const oauthForm = (provider: ListedProvider, draft: ConnectDraft, { asksName, isOpen }: Look): Html =>
  html`<form action="/integrations/${provider.id}/connect">${asksName && nameField(provider, draft, true)}${paramFields(provider.params, 'params', draft.params, true)}
<details${isOpen && html` open`}><summary>${asksName ? 'Scopes' : 'Name and scopes'}</summary>${!asksName && nameField(provider, draft, false)}${scopesField(provider, draft)}</details>
<button>Connect ${provider.name}</button></form>`;

/** Asks for the provider's params, a name and scopes. Submits to a page of ours that links to the provider. */
export const connectForm = (provider: ListedProvider, draft: ConnectDraft, { asksName, isOpen }: Look): Html =>
  provider.kind === 'oauth2' ? oauthForm(provider, draft, { asksName, isOpen }) : keyNameForm(provider, draft);

/** The form that changes a connection's scopes, which means connecting the account again. */
export const scopesPage = (
  { id }: Pick<Entry, 'id'>,
  provider: ListedProvider,
  { connection, params, scopes }: ConnectDraft,
): DashboardPage => {
  const title = connectionTitle({ name: provider.name, connection });
  const kept = {
    connection,
    ...Object.fromEntries(Object.entries(params).map(([name, value]) => [`params.${name}`, value])),
  };
  return {
    title: `Change the scopes of ${title}`,
    under: [providerPlace(provider)],
    content: html`<div class="sheet asks"><p>To change what ${provider.name} allows, you connect the account again with other scopes. Until then, nothing changes.</p>
<form action="/integrations/${id}/connect">${Object.entries(kept).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}${scopesField(provider, { connection, params, scopes })}
<button>Continue</button> <a class="button plain" href="/integrations/${id}">Cancel</a></form></div>`,
  };
};

/** Says what happens to the account that is already connected under this name. Null if there is none. */
const replaceNote = (entry: Entry, connection: string): Html | null => {
  const held = connectionNamed(entry, connection);
  if (!held) return null;
  const label = held.account.label ?? 'The account that is connected now';
  const already = html`<strong>${connectionTitle(held)} is already connected${held.account.label && html` as ${held.account.label}`}.</strong>`;
  if (usesKey(entry))
    return html`<p>${already} The key that you enter replaces the one that is stored. To keep both, go back and enter another name.</p>`;
  return html`<p>${already} Choose the same account to reconnect it. A different account replaces it: ${label} is disconnected, and its access is revoked if ${entry.name} supports that. To keep both, go back and enter another name.</p>`;
};

/**
 * The page between the form and the provider: what was entered, which account is replaced, and the link to the
 * provider.
 */
export const continueConnectPage = (
  entry: Entry,
  provider: ListedProvider,
  team: string,
  { connection, params, scopes }: ConnectDraft,
): DashboardPage => {
  const note = replaceNote(entry, connection);
  const entered = readScopes(provider, scopes);
  const requested = [...new Set([...provider.requiredScopes, ...(entered ?? provider.scopes)])];
  const address = connectAddress(entry, { connection, params, scopes: entered, replace: note !== null });
  return {
    title: `Connect ${entry.name}`,
    under: [providerPlace(entry)],
    content: html`<div class="sheet asks"><p>${usesKey(entry) ? html`You'll be asked for a key that lets the team <strong>${team}</strong> use ${entry.name}.` : html`${entry.name} will ask you to let the team <strong>${team}</strong> use your account. Then you'll be sent back here.`}</p>
${note}${factList([
  ['Name', connection !== DEFAULT_CONNECTION && connection],
  ...Object.entries(params).map(([param, value]) => [labelOf(param), value] as const),
  ['Scopes', listScopes(requested)],
])}
<div class="integration-actions"><a class="button" href="${address}">Continue${!usesKey(entry) && ` to ${entry.name}`}</a><a class="button plain" href="/integrations/${entry.id}">${note ? 'Cancel' : 'Edit details'}</a></div></div>`,
  };
};
