import { type Html, html } from '../platform/index.ts';
import type { Person } from './person.ts';

export const csrfField = (csrfToken: string): Html => html`<input type="hidden" name="_csrf" value="${csrfToken}">`;

type PostForm = { action: string; content?: Html; button: Html | string; kind?: 'plain' | 'danger' };

/** A form that changes something. It sends a POST, and the response redirects to a page. */
export const postForm = ({ csrfToken }: Person, { action, content, button, kind }: PostForm): Html =>
  html`<form method="post" action="${action}">${csrfField(csrfToken)}${content}<button${kind && html` class="${kind}"`}>${button}</button></form>`;

type Labelled = { name: string; label: string };

const describedBy = (name: string, hint?: Html | string): Html | undefined | '' =>
  hint && html` aria-describedby="${name}-hint"`;

const hintOf = (name: string, hint?: Html | string): Html | undefined | '' =>
  hint && html`<span class="hint" id="${name}-hint">${hint}</span>`;

type Field = Labelled & {
  value?: string | null;
  hint?: Html | string;
  type?: 'text' | 'date' | 'datetime-local' | 'email' | 'number' | 'password' | 'time' | 'url' | 'search';
  required?: boolean;
  placeholder?: string;
};

export const field = ({ name, label, value, hint, type = 'text', required, placeholder }: Field): Html =>
  html`<p class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${value}"${placeholder && html` placeholder="${placeholder}"`}${required && html` required`} autocomplete="off"${describedBy(name, hint)}>
${hintOf(name, hint)}</p>`;

type TextArea = Labelled & { value: string; rows: number; hint: string };

export const textArea = ({ name, label, value, rows, hint }: TextArea): Html =>
  html`<p class="field"><label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" rows="${rows}" autocomplete="off"${describedBy(name, hint)}>${value}</textarea>
${hintOf(name, hint)}</p>`;

type CheckBox = Labelled & { checked: boolean; value?: string; hint?: string };

export const checkBox = ({ name, label, checked, value = 'on', hint }: CheckBox): Html =>
  html`<p class="field check"><input type="checkbox" id="${name}" name="${name}" value="${value}"${checked && html` checked`}${describedBy(name, hint)}><label for="${name}">${label}</label>${hintOf(name, hint)}</p>`;

type Option = { value: string; label: string };

type Choice = Labelled & {
  value: string;
  options: readonly (Option | { group: string; options: readonly Option[] })[];
  hint?: Html | string;
};

const optionsOf = (options: Choice['options'], value: string): Html[] =>
  options.map((option) =>
    'group' in option
      ? html`<optgroup label="${option.group}">${optionsOf(option.options, value)}</optgroup>`
      : html`<option value="${option.value}"${option.value === value && html` selected`}>${option.label}</option>`,
  );

/** A drop-down list. */
export const choice = ({ name, label, value, options, hint }: Choice): Html =>
  html`<p class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}"${describedBy(name, hint)}>${optionsOf(options, value)}</select>${hintOf(name, hint)}</p>`;

/** A radio button. For a choice with few options, all of them visible. */
export const radio = (name: string, value: string, chosen: string, label: string): Html =>
  html`<p><label><input type="radio" name="${name}" value="${value}"${value === chosen && html` checked`}> ${label}</label></p>`;
