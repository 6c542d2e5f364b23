import { type Html, html, Refusal } from '../platform/index.ts';

export const csrfField = (csrfToken: string): Html => html`<input type="hidden" name="_csrf" value="${csrfToken}">`;

type PostForm = { action: string; csrfToken: string; content?: Html; button: string; kind?: 'plain' | 'danger' };

/** A form that changes something. It posts, and the response redirects to a page. */
export const postForm = ({ action, csrfToken, content, button, kind }: PostForm): Html =>
  html`<form method="post" action="${action}">${csrfField(csrfToken)}${content ?? ''}<button${kind ? html` class="${kind}"` : ''}>${button}</button></form>`;

type Field = {
  name: string;
  label: string;
  value?: string | null;
  hint?: Html | string;
  type?: 'text' | 'date' | 'email' | 'number' | 'password' | 'time' | 'url' | 'search';
  required?: boolean;
  placeholder?: string;
};

export const field = ({ name, label, value, hint, type = 'text', required, placeholder }: Field): Html =>
  html`<p class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${value ?? ''}"${placeholder ? html` placeholder="${placeholder}"` : ''}${required ? html` required` : ''} autocomplete="off"${hint ? html` aria-describedby="${name}-hint"` : ''}>
${hint ? html`<span class="hint" id="${name}-hint">${hint}</span>` : ''}</p>`;

type Choice = { name: string; label: string; value: string; options: readonly { value: string; label: string }[] };

export const choice = ({ name, label, value, options }: Choice): Html =>
  html`<p class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}">${options.map(
    (option) =>
      html`<option value="${option.value}"${option.value === value ? html` selected` : ''}>${option.label}</option>`,
  )}</select></p>`;

export type Attempted<Result> = { ok: true; result: Result } | { ok: false; problem: Refusal };

/** The result, or why it was refused. The form is then shown again, as it was filled in. */
export const attempt = async <Result>(work: () => Promise<Result>): Promise<Attempted<Result>> => {
  try {
    return { ok: true, result: await work() };
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) return { ok: false, problem: error };
    throw error;
  }
};

/** Shown above a form that was refused. */
export const problemNotice = (problem: Refusal | null): Html | null =>
  problem &&
  html`<div class="notice bad" role="alert"><p>${problem.message}</p>${
    problem.errors?.length
      ? html`<ul>${problem.errors.map(({ path, message }) => html`<li><code>${path.replace(/^body\./, '')}</code> ${message}</li>`)}</ul>`
      : ''
  }</div>`;
