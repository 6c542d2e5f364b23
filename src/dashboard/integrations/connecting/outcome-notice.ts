import { connectionTitle, DEFAULT_CONNECTION } from '../../../integrations/index.ts';
import { type Html, html, Type } from '../../../platform/index.ts';
import { badNotice, goodNotice } from '../../notice.ts';
import { connectionNamed, type Entry, type ShownConnection } from '../entry.ts';

/** The query that the OAuth callback adds when it redirects to this page. */
export const OUTCOME_QUERY = {
  provider: Type.Optional(Type.String({ maxLength: 60 })),
  connection: Type.Optional(Type.String({ maxLength: 60 })),
  outcome: Type.Optional(Type.String({ maxLength: 20 })),
  error: Type.Optional(Type.String({ maxLength: 100 })),
  attempt: Type.Optional(Type.String({ maxLength: 100 })),
  siteNeeded: Type.Optional(Type.String({ maxLength: 10 })),
};

type Outcome = { connection?: string; outcome?: string; error?: string; attempt?: string };

const connected = ({ provider }: Entry, held: ShownConnection | null): Html | null => {
  if (!held) return null;
  const { label } = held.account;
  const next = held.siteNeeded ? `Choose the ${provider?.sites ?? 'site'} to use below.` : 'Your team can use it now.';
  return goodNotice(
    html`${connectionTitle(held)} is connected${label && html` as <strong>${label}</strong>`}. ${next}`,
  );
};

/** What happened, and what to do about it. `{name}` is the provider. */
type Words = readonly [what: string, next: string];

const AGAIN = 'Try connecting again.';
const SOON = 'Try connecting again in a few minutes.';
const CHECK_CLIENT = "An admin can check the client ID and secret in the provider's setup.";

/** Messages for every refusal of a connect. */
const WORDS: Readonly<Record<string, Words>> = {
  access_denied: ['The request was declined at {name}.', 'If that was a mistake, connect again and choose Allow.'],
  provider_refused: [
    '{name} refused the request.',
    "This often means that the callback URL or a scope isn't registered there. Compare them with the setup.",
  ],
  callback_malformed: ["The response from {name} couldn't be used.", AGAIN],
  issuer_wrong: ['The response came from a different issuer than expected.', 'Connect again, starting here.'],
  exchange_invalid_grant: ['{name} no longer accepted the authorization code.', AGAIN],
  exchange_invalid_client: ["{name} didn't accept the client ID and secret.", CHECK_CLIENT],
  exchange_refused: ["{name} didn't issue any tokens.", CHECK_CLIENT],
  exchange_rate_limited: ['{name} is limiting requests.', SOON],
  exchange_unavailable: ["{name} is having trouble or can't be reached.", SOON],
  exchange_unclear: ["{name} didn't send a readable response.", SOON],
  exchange_not_asked: [
    "Patchbay isn't allowed to send requests to this {name} address.",
    'Check the details entered for the connection.',
  ],
  issuer_away: ["The configuration of {name} couldn't be fetched from its issuer.", SOON],
  not_configured: ['The OAuth app for {name} was removed in the meantime.', 'Set it up again first.'],
  params_invalid: ["The details you entered don't work for {name}.", 'Connect again and correct them.'],
  state_invalid: ["You're no longer a member of this team.", 'Ask an admin to invite you again.'],
  attempt_not_yours: [
    'Someone else tried to finish this connection, so it was canceled.',
    'Connect again and finish it yourself.',
  ],
  name_taken: ['You chose a different account than the one that is connected.', 'It was not replaced.'],
  connection_limit: ['Your team has as many connections as it can have.', 'Disconnect one, then connect again.'],
  interrupted: ['Something went wrong in Patchbay.', `${AGAIN} If it happens again, check the log.`],
};

const ROOM = 'integrations.';

/** The message for a code. Null if the code isn't ours. */
export const wordsOf = (code: string, name: string): string | null => {
  const reason = code.startsWith(ROOM) ? code.slice(ROOM.length) : '';
  const words = Object.hasOwn(WORDS, reason) ? WORDS[reason] : undefined;
  return words ? words.join(' ').replace('{name}', name) : null;
};

/** The format of our codes. Other text in the query could come from anyone. */
const CODE = /^[a-z_]+(?:\.[a-z_]+)*$/;

/** Says that the person chose a different account than the connected one, and offers to replace the connected one. */
const taken = ({ id, name }: Entry, held: ShownConnection): Html => {
  const address = `/integrations/${id}/connect?connection=${held.connection}`;
  return html`<div class="notice warn" role="status"><p><strong>${connectionTitle(held)} was not changed.</strong> You chose a different account at ${name}${held.account.label && html` than <strong>${held.account.label}</strong>`}. To keep both, connect the other one under another name.</p>
<p><a class="button plain" href="${address}">Replace the account</a></p></div>`;
};

const failed = (entry: Entry, held: ShownConnection | null, error: string): Html => {
  if (held && error === `${ROOM}name_taken`) return taken(entry, held);
  const { name } = entry;
  const words =
    wordsOf(error, name) ??
    html`Try connecting again.${CODE.test(error) && html` <span class="quiet">${error}</span>`}`;
  const what = held
    ? html`<strong>${connectionTitle(held)} was not reconnected.</strong> The existing connection hasn't changed.`
    : html`<strong>${name} was not connected.</strong>`;
  return badNotice(html`${what} ${words}`);
};

const unfinished = ({ id, name }: Entry, attempt: string): Html =>
  html`<div class="notice warn" role="status"><p><strong>${name} is not connected yet.</strong> The person who started the connection must finish it within ten minutes.</p>
<p><a class="button" href="/integrations/${id}/finish?attempt=${encodeURIComponent(attempt)}">Finish connecting ${name}</a></p></div>`;

/** The message about a connect. Anyone can write such a URL, so the page only shows a message and changes nothing. */
export const connectNotice = (entry: Entry, shown: Outcome): Html | null => {
  const { connection = DEFAULT_CONNECTION, outcome, error = '', attempt = '' } = shown;
  const held = connectionNamed(entry, connection);
  if (outcome === 'connected') return connected(entry, held);
  if (outcome === 'confirm') return unfinished(entry, attempt);
  return outcome === 'failed' ? failed(entry, held, error) : null;
};
