import type { Brand, Page } from '../../http/index.ts';
import { type Html, html } from '../../platform/index.ts';

type Input = {
  name: string;
  label: string;
  hint: string;
  /** The value that was entered, but never that of a secret field. */
  value: string;
  isSecret: boolean;
  /** Whether this field is why the form was refused. */
  isFlawed: boolean;
  maxLength: number;
};

type KeyFormView = {
  /** The provider's name, and the connection's name if there are several. */
  name: string;
  docs: string;
  action: string;
  csrfToken: string | null;
  /** The team and user that the key is for, so that nobody enters one for someone else's team. */
  team: string;
  user: string | null;
  /** The account that is connected under this name now. */
  held: { label: string | null; isBroken: boolean } | null;
  inputs: readonly Input[];
  problems: readonly string[];
  /** Where to go without entering a key, if anywhere. */
  cancel: string | null;
  /** The product's brand, for its customers. Null on the dashboard. */
  brand: Brand | null;
};

const inputField = ({ name, label, hint, value, isSecret, isFlawed, maxLength }: Input): Html =>
  html`<p class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${isSecret ? 'password' : 'text'}" value="${value}" required autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="${String(maxLength)}" aria-describedby="${name}-hint"${isFlawed && html` aria-invalid="true"`}>
<span class="hint" id="${name}-hint">${hint}</span></p>`;

const heldNote = (name: string, { label, isBroken }: NonNullable<KeyFormView['held']>): Html => {
  const as = label && html` as <strong>${label}</strong>`;
  return isBroken
    ? html`<p><strong>The key that is stored${as} no longer works.</strong> Enter a new one.</p>`
    : html`<p>${name} is already connected${as}. The new key replaces the one that is stored.</p>`;
};

const problemNote = (name: string, problems: readonly string[]): Html =>
  html`<div class="notice bad" role="alert"><p><strong>${name} couldn’t be connected.</strong></p>${problems.map((problem) => html`<p>${problem}</p>`)}</div>
`;

/** Asks for a key. The form works without a script, and is never sent back with a secret in it. */
export const keyFormPage = (view: KeyFormView): Page => {
  const { name, docs, action, csrfToken, team, user, held, inputs, problems, cancel, brand } = view;
  return {
    ...(brand ? { brand } : {}),
    title: `Connect ${name}`,
    content: html`${problems.length > 0 && problemNote(name, problems)}<p>This connects ${name} to the team <strong>${team}</strong>${user && html` for <strong>${user}</strong>`}.</p>
${held ? heldNote(name, held) : ''}<form method="post" action="${action}">${csrfToken === null ? '' : html`<input type="hidden" name="_csrf" value="${csrfToken}">`}
${inputs.map(inputField)}
<button>Connect ${name}</button></form>
<p><a href="${docs}" target="_blank" rel="noreferrer">Where to find it</a>${cancel === null ? '' : html` · <a href="${cancel}">Cancel</a>`}</p>
<p class="quiet">What you enter is checked at ${name}, and stored encrypted. Nobody can read it here. If someone sent you this page, close it.</p>`,
  };
};

/** A form may not redirect to another site (Content-Security-Policy, form-action), so this page leads there. */
export const leadBackPage = (name: string, address: string, brand: Brand | null): Page => ({
  ...(brand ? { brand } : {}),
  title: 'One moment',
  next: address,
  content: html`<p><a class="button" href="${address}">Continue${brand ? ` to ${name}` : ''}</a></p>`,
});
