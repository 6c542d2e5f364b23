import { RIGHT_NAMES } from '../../../http/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { checkBox, choice, radio, textArea } from '../../form.ts';
import { RIGHT_WORDS } from './rights-words.ts';
import { boxOfRight, type RightsFlaw, type TokenForm } from './token-form.ts';

/** How many connections are offered. With more, the command line is the better place. */
const MOST_PLACES = 200;

/** How long a request can wait for an approval. The usual time is the first. */
const WAITS = [
  { value: '10', label: '10 minutes' },
  { value: '60', label: '1 hour' },
  { value: '480', label: '8 hours' },
  { value: '1440', label: '1 day' },
] as const;

/** A connection that a token can be made for. */
export type Place = { provider: string; connection: string; name: string; account: { label: string | null } };

export type RightsFields = {
  form: TokenForm;
  /** Null for a member, who can't give the proxy. */
  places: readonly Place[] | null;
  flaw: RightsFlaw | null;
};

/** The message at a field. Empty if nothing is wrong with it. */
const flawAt = (field: RightsFlaw['field'], flaw: RightsFlaw | null): Html | null =>
  flaw?.field === field ? html`<strong class="flaw">${flaw.message}</strong> ` : null;

const placeField = ({ form, flaw }: RightsFields, places: readonly Place[]): Html => {
  const options = places.slice(0, MOST_PLACES).map(({ provider, connection, name, account }) => ({
    value: `${provider}:${connection}`,
    label: `${name} (${account.label ?? connection})`,
  }));
  const about =
    places.length > MOST_PLACES
      ? `These are the first ${MOST_PLACES} accounts. For another one, use the API or the command line.`
      : 'Through the proxy, for the account that is connected now.';
  return choice({
    ...{ name: 'place', label: 'Call a provider', value: form['place'] ?? '' },
    options: [{ value: '', label: 'None' }, ...options],
    hint: html`${flawAt('place', flaw)}${about}`,
  });
};

const providerFields = (fields: RightsFields, places: readonly Place[]): Html => {
  const { form } = fields;
  if (places.length === 0)
    return html`<p class="hint">No account is connected yet, so there is no provider that the token could call. Connect one under <a href="/integrations">Integrations</a> first.</p>`;
  return html`${placeField(fields, places)}
${choice({
  ...{ name: 'access', label: 'What it may do there', value: form['access'] ?? 'read' },
  options: [
    { value: 'read', label: 'Only read' },
    { value: 'ask', label: 'Read, and ask before it writes' },
    { value: 'everything', label: 'Read and write' },
  ],
  hint: 'If it asks, its request waits until an admin approves or refuses it.',
})}
<div class="waits">${choice({
    ...{ name: 'approvalMinutes', label: 'How long a request waits', value: form['approvalMinutes'] ?? '' },
    options: WAITS,
    hint: "Without a decision by then, the request expires and isn't sent.",
  })}</div>
${textArea({
  ...{ name: 'paths', label: 'Paths', value: form['paths'] ?? '', rows: 3 },
  hint: 'One on each line, such as /repos/**. An asterisk stands for one segment, and two at the end for the rest. Leave this empty for every path. A token that asks can ask for any other path.',
})}`;
};

/** The part of the form that says what the token can do. */
export const rightsFieldset = (fields: RightsFields): Html => {
  const { form, places, flaw } = fields;
  const kind = form['kind'] ?? 'all';
  const isFlawed = flaw?.field === 'can';
  return html`<fieldset class="rights"><legend>What it can do</legend>
${radio('kind', 'all', kind, 'Everything that you can do')}
${radio('kind', 'some', kind, 'Only what you choose: for a script or an agent')}
<div class="rights-list"${isFlawed && html` role="group" aria-describedby="can-flaw"`}>${isFlawed && html`<p id="can-flaw">${flawAt('can', flaw)}</p>`}${RIGHT_NAMES.map(
    (right) => checkBox({ name: boxOfRight(right), label: RIGHT_WORDS[right], checked: boxOfRight(right) in form }),
  )}
${places && providerFields(fields, places)}
<p class="hint">For several providers, use the API or the command line.</p></div></fieldset>
`;
};
