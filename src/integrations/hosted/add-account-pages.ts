import type { Brand, Page } from '../../http/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { DEFAULT_CONNECTION } from '../connections/connection-name.ts';
import { type Who, whoList } from './hosted-pages.ts';

type Param = { name: string; about: string; example: string; value: string };

type AddForm = {
  /** The provider's name. */
  name: string;
  action: string;
  /** The ID of the connect session that this page belongs to. */
  page: string;
  /** The connection's name, as it was entered. */
  connection: string;
  /** Whether to ask for a name. The first account needs no name. */
  asksName: boolean;
  params: readonly Param[];
  problems: readonly string[];
};

const field = (name: string, label: string, value: string, hint: string): Html =>
  html`<p class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${value}" required autocomplete="off" maxlength="100" aria-describedby="${name}-hint">
<span class="hint" id="${name}-hint">${hint}</span></p>`;

const nameField = ({ name, connection, asksName }: AddForm): Html =>
  asksName
    ? field('connection', 'Name', connection, `Tells your ${name} accounts apart, for example “work”.`)
    : html`<input type="hidden" name="connection" value="${connection}">`;

/** Asks for a name that distinguishes the account, and for the params of the provider's URL. */
export const addAccountPage = (brand: Brand, who: Who, form: AddForm, back: string): Page => ({
  brand,
  title: form.asksName ? `Add another ${form.name} account` : `Connect ${form.name}`,
  content: html`${form.problems.length > 0 ? html`<div class="notice bad" role="alert">${form.problems.map((problem) => html`<p>${problem}</p>`)}</div>` : ''}${whoList(who)}
<form action="${form.action}"><input type="hidden" name="page" value="${form.page}">
${nameField(form)}${form.params.map(({ name, about, example, value }) => field(`params.${name}`, about.replace(/\.$/, ''), value, `For example, ${example}.`))}
<button>Continue</button></form>
<p><a href="${back}">Cancel</a></p>`,
});

type Continue = {
  name: string;
  connection: string;
  /** The account that is already connected under this name. Choosing a different one replaces it. */
  held: { label: string | null } | null;
  href: string;
};

const replaceNote = (name: string, { label }: { label: string | null }): Html =>
  html`<p><strong>There’s already an account with this name${label && html`: ${label}`}.</strong> If you choose the same account at ${name}, it’s reconnected. If you choose a different one, it replaces this one, which is then disconnected. To keep both, cancel and choose another name.</p>`;

/**
 * Shown between the form and the provider. The person follows a link there, because Content-Security-Policy
 * (form-action) doesn't let a form lead to another site.
 */
export const continueAddingPage = (
  brand: Brand,
  who: Who,
  { name, connection, held, href }: Continue,
  back: string,
): Page => ({
  brand,
  title: held ? `Replace the ${name} account?` : `Connect ${name}`,
  content: html`${whoList(who)}
${connection === DEFAULT_CONNECTION ? '' : html`<p>Name: <strong>${connection}</strong></p>`}
${held ? replaceNote(name, held) : ''}
<p><a class="button" href="${href}">Continue to ${name}</a></p>
<p><a href="${back}">Cancel</a></p>`,
});
