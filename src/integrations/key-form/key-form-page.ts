import type { Brand, Page } from '../../http/index.ts';
import { type Html, html } from '../../platform/index.ts';

type Input = {
  name: string;
  label: string;
  hint: string;
  /** The value that was entered. Always empty for a secret field. */
  value: string;
  isSecret: boolean;
  /** Whether the form was refused because of this field. */
  isFlawed: boolean;
  maxLength: number;
};

type KeyFormView = {
  /** The provider's name, followed by the connection's name unless that is `default`. */
  name: string;
  docs: string;
  action: string;
  csrfToken: string | null;
  /** The team and user that the key is for. Shown so that nobody enters a key for someone else's team. */
  team: string;
  user: string | null;
  /** The account that is connected under this name now. */
  held: { label: string | null; isBroken: boolean } | null;
  inputs: readonly Input[];
  problems: readonly string[];
  /** The URL of the link that cancels. Null if there is nowhere to go. */
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

/** Asks for a key. The form works without a script, and is never shown again with a secret in it. */
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

/** Leads to another site. A form can't redirect there itself (Content-Security-Policy, form-action). */
export const leadBackPage = (name: string, address: string, brand: Brand | null): Page => ({
  ...(brand ? { brand } : {}),
  title: 'One moment',
  next: address,
  content: html`<p><a class="button" href="${address}">Continue${brand ? ` to ${name}` : ''}</a></p>`,
});
