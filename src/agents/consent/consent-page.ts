import type { Page } from '../../http/index.ts';
import { type Html, html, isLoopbackHost } from '../../platform/index.ts';
import { hostOfClient, hostOfRedirect } from '../clients/client.ts';
import { CONSENT_RIGHTS, LET_IN_DAYS, printPlace, USUAL_DAYS } from './consent-form.ts';

export type ConsentAccount = {
  provider: string;
  connection: string;
  name: string;
  label: string | null;
  /** Since when it's connected: another account may take its place. */
  since: string;
};

export type ConsentView = {
  client: { id: string; name: string; redirect: string };
  team: string;
  person: string;
  /** The accounts to choose from. Null for a member, who can't give any. */
  accounts: readonly ConsentAccount[] | null;
  /** Whom a member can ask. */
  admins: readonly string[];
  csrfToken: string;
  /** A digest of what is shown, so that nothing else is granted. */
  shown: string;
  action: string;
};

/** Says who asks. Only the address of a client's document shows that; a name is what the client calls itself. */
const whoAsks = ({ id, name }: ConsentView['client']): Html => {
  const host = hostOfClient(id);
  return host === null
    ? html`<p>A program that calls itself <strong>${name}</strong> wants to use this Patchbay for you. Nobody has checked that name.</p>`
    : html`<p><strong>${name}</strong> from <strong>${host}</strong> wants to use this Patchbay for you.</p>`;
};

const whereBack = ({ redirect }: ConsentView['client']): Html => {
  const { protocol, hostname } = new URL(redirect);
  const isHere = protocol !== 'https:' || isLoopbackHost(hostname);
  return html`<p>When you allow it, you’re sent to <strong>${hostOfRedirect(redirect)}</strong>.${isHere && ' That’s a program on this computer, and any program here can claim to be that one. Go on only if you have just started it yourself.'}</p>`;
};

const accountBoxes = (accounts: readonly ConsentAccount[]): Html =>
  accounts.length === 0
    ? html`<p class="quiet">No accounts are connected yet. <a href="/integrations">Connect one</a> first, then start again in the agent.</p>`
    : html`${accounts.map(
        (account) =>
          html`<p><label><input type="checkbox" name="place" value="${printPlace(account)}"> ${account.name} <span class="quiet">${account.label ?? account.connection}</span></label></p>
`,
      )}<p class="quiet">At most 20. It uses the account that is connected now, at the address of the provider’s API, and never sees the credential.</p>`;

const writesChoice: Html = html`<fieldset><legend>And changes in these accounts?</legend>
<p><label><input type="radio" name="writes" value="ask" checked> Ask an admin before each one, who sees exactly what would be sent</label></p>
<p><label><input type="radio" name="writes" value="refuse"> Never: it only reads</label></p>
</fieldset>`;

const askAdmin = (admins: readonly string[]): Html =>
  html`<p>You can’t give it accounts, because you aren’t an admin of this team. To use accounts, ask ${admins.length === 0 ? 'an admin' : admins.join(' or ')}.</p>`;

/** Asks a person what an agent may do. Nothing is remembered: the next time, everything is asked again. */
export const letInPage = ({ client, team, person, accounts, admins, csrfToken, shown, action }: ConsentView): Page => ({
  title: `Let ${client.name} in?`,
  content: html`${whoAsks(client)}
${whereBack(client)}
<p>You’re signed in as <strong>${person}</strong>, in the team <strong>${team}</strong>.</p>
<form method="post" action="${action}"><input type="hidden" name="_csrf" value="${csrfToken}"><input type="hidden" name="shown" value="${shown}">
<fieldset><legend>Which accounts may it read?</legend>
${accounts === null ? askAdmin(admins) : accountBoxes(accounts)}
</fieldset>
${(accounts?.length ?? 0) > 0 && writesChoice}
<fieldset><legend>What else may it do?</legend>
${Object.entries(CONSENT_RIGHTS).map(
  ([right, words]) =>
    html`<p><label><input type="checkbox" name="can" value="${right}"> ${words}</label></p>
`,
)}
</fieldset>
<p><label>For how long? <select name="days">${Object.entries(LET_IN_DAYS).map(
    ([days, words]) => html`<option value="${days}"${days === USUAL_DAYS && html` selected`}>${words}</option>`,
  )}</select></label></p>
<p><button name="answer" value="allow">Allow</button> <button name="answer" value="deny" class="plain" formnovalidate>Don’t allow</button></p>
</form>
<p class="quiet">Didn’t just connect an agent? Choose “Don’t allow”. You can end this at any time, under Agents.</p>`,
});

/** Leads back to the client. A form's response may not redirect there (Content-Security-Policy, form-action). */
export const sendBackPage = (address: string): Page => ({
  title: 'Taking you back',
  next: address,
  content: html`<p><a href="${address}">Continue</a></p>`,
});
