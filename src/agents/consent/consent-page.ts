import type { Page } from '../../http/index.ts';
import { type Html, html, isLoopbackHost } from '../../platform/index.ts';
import { hostOfClient, hostOfRedirect } from '../clients/client.ts';
import { CONSENT_RIGHTS, LET_IN_DAYS, MOST_ACCOUNTS, printPlace, type Ticked } from './consent-form.ts';

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
  /** What is ticked: nothing at first, or what was before something was wrong with it. */
  form: Ticked;
  /** What is wrong with the answer. */
  flaw: string | null;
};

/** Says who asks. Only the address of a client's document shows that; a name is what the client calls itself. */
const whoAsks = ({ id, name }: ConsentView['client']): Html => {
  const host = hostOfClient(id);
  const wants = 'wants to use your team’s accounts through this Patchbay.';
  return host === null
    ? html`<p>A program that calls itself <strong>${name}</strong> ${wants} Nobody has checked that name.</p>`
    : html`<p><strong>${name}</strong> from <strong>${host}</strong> ${wants}</p>`;
};

const whereBack = ({ redirect }: ConsentView['client']): Html => {
  const { protocol, hostname } = new URL(redirect);
  const isHere = protocol !== 'https:' || isLoopbackHost(hostname);
  return html`<p>When you allow it, you’re sent to <strong>${hostOfRedirect(redirect)}</strong>.${isHere && ' That’s a program on this computer, and any program here can claim to be that one. Go on only if you have just started it yourself.'}</p>`;
};

const ticked = (isTicked: boolean): Html | false => isTicked && html` checked`;

const accountBoxes = (accounts: readonly ConsentAccount[], { places }: Ticked): Html =>
  accounts.length === 0
    ? html`<p class="quiet">No accounts are connected yet. <a href="/integrations">Connect one</a>, then come back and reload this page.</p>`
    : html`${accounts.map((account) => {
        const place = printPlace(account);
        return html`<p><label><input type="checkbox" name="place" value="${place}"${ticked(places.includes(place))}> ${account.name} <span class="quiet">${account.label ?? account.connection}</span></label></p>
`;
      })}<p class="quiet">It can read everything there that the account can, but never gets its password or key. If another account takes its place, it can’t use that one.${accounts.length > MOST_ACCOUNTS && ` Choose up to ${MOST_ACCOUNTS}.`}</p>`;

const writesChoice = ({ writes }: Ticked): Html => html`<fieldset><legend>May it change anything there?</legend>
<p><label><input type="radio" name="writes" value="ask"${ticked(writes === 'ask')}> Only after an admin has approved that change, and seen exactly what would be sent. It waits for 10 minutes, under Approvals</label></p>
<p><label><input type="radio" name="writes" value="refuse"${ticked(writes !== 'ask')}> No, it only reads</label></p>
</fieldset>`;

const askAdmin = (admins: readonly string[]): Html =>
  html`<p>You can’t give it accounts, because you aren’t an admin of this team. To use accounts, ask ${admins.length === 0 ? 'an admin' : admins.join(' or ')}.</p>`;

const rightBoxes = ({ can }: Ticked): Html =>
  html`${Object.entries(CONSENT_RIGHTS).map(
    ([right, words]) =>
      html`<p><label><input type="checkbox" name="can" value="${right}"${ticked(can.includes(right))}> ${words}</label></p>
`,
  )}`;

const daysChoice = ({ days: chosen }: Ticked): Html =>
  html`<p><label>For how long? <select name="days">${Object.entries(LET_IN_DAYS).map(
    ([days, words]) => html`<option value="${days}"${days === chosen && html` selected`}>${words}</option>`,
  )}</select></label></p>`;

/** Asks a person what an agent may do. Nothing is remembered: the next time, everything is asked again. */
export const letInPage = (view: ConsentView): Page => {
  const { client, team, person, accounts, admins, csrfToken, shown, action, form, flaw } = view;
  return {
    title: `Let “${client.name}” in?`,
    content: html`${
      flaw !== null &&
      html`<div class="notice bad" role="alert"><p>${flaw}</p></div>
`
    }${whoAsks(client)}
${whereBack(client)}
<p>You’re signed in as <strong>${person}</strong>, in the team <strong>${team}</strong>.</p>
<form method="post" action="${action}"><input type="hidden" name="_csrf" value="${csrfToken}"><input type="hidden" name="shown" value="${shown}">
<fieldset><legend>Which accounts may it read?</legend>
${accounts === null ? askAdmin(admins) : accountBoxes(accounts, form)}
</fieldset>
${(accounts?.length ?? 0) > 0 && writesChoice(form)}
<fieldset><legend>What else may it do?</legend>
${rightBoxes(form)}
</fieldset>
${daysChoice(form)}
<p><button name="answer" value="allow">Allow</button> <button name="answer" value="deny" class="plain">Don’t allow</button></p>
</form>
<p class="quiet">The agent and whoever makes it see what it reads, and a text that it reads can mislead it.</p>
<p class="quiet">Didn’t just connect an agent? Choose “Don’t allow”. You can end this at any time, under Agents.</p>`,
  };
};

/** Leads back to the client. A form's response may not redirect there (Content-Security-Policy, form-action). */
export const sendBackPage = (address: string): Page => ({
  title: 'Taking you back',
  next: address,
  content: html`<p><a href="${address}">Continue</a></p>`,
});
