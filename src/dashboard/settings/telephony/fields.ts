import { type Html, html, type InputError, type Refusal } from '../../../platform/index.ts';

type TextArea = { name: string; label: string; value: string; rows: number; hint: string };

export const textArea = ({ name, label, value, rows, hint }: TextArea): Html =>
  html`<p class="field"><label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" rows="${rows}" autocomplete="off" aria-describedby="${name}-hint">${value}</textarea>
<span class="hint" id="${name}-hint">${hint}</span></p>`;

type CheckBox = { name: string; label: string; checked: boolean; hint?: string };

export const checkBox = ({ name, label, checked, hint }: CheckBox): Html =>
  html`<p class="field phone-tick"><input type="checkbox" id="${name}" name="${name}" value="on"${checked ? html` checked` : ''}${
    hint ? html` aria-describedby="${name}-hint"` : ''
  }><label for="${name}">${label}</label>${hint ? html`<span class="hint" id="${name}-hint">${hint}</span>` : ''}</p>`;

/** What is wrong with a field, by its label on the page. */
export type ExplainError = (error: InputError) => { name: string; message: string };

/** Shown above a form that was refused. */
export const formProblem = (problem: Refusal, explain: ExplainError): Html =>
  html`<div class="notice bad" role="alert"><p>${problem.message}</p>${
    problem.errors?.length
      ? html`<ul>${problem.errors.map(explain).map(({ name, message }) => html`<li><strong>${name}</strong> ${message}</li>`)}</ul>`
      : ''
  }</div>`;
