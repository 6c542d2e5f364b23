import type { Page } from '../../http/index.ts';
import { html } from '../../platform/index.ts';
import { ACCOUNTS } from './accounts.ts';
import { SCOPE_WORDS, type Scope } from './scopes.ts';

type Question = { client: string; scopes: readonly Scope[] };

export const consentPage = ({ client, scopes }: Question, action: string): Page => ({
  title: 'Patchbay Sandbox',
  content: html`<p>A provider for trying things out. The accounts are made up, and nothing leaves this Patchbay.</p>
<p><strong>${client}</strong> wants to use one of your accounts. It will be able to:</p>
<ul>${scopes.map((scope) => html`<li>${SCOPE_WORDS[scope]}</li>`)}</ul>
<form method="post" action="${action}">
<fieldset><legend>Which account?</legend>
${ACCOUNTS.map(
  ({ id, name, email }, index) =>
    html`<p><label><input type="radio" name="account" value="${id}"${index === 0 && html` checked`}> ${name} <span class="quiet">${email}</span></label></p>
`,
)}
</fieldset>
<p><button name="answer" value="allow">Allow</button> <button name="answer" value="deny" class="plain">Deny</button></p>
</form>`,
});

export const returnPage = (address: string): Page => ({
  title: 'Patchbay Sandbox',
  content: html`<p>Taking you back. <a href="${address}">Continue</a></p>`,
});
