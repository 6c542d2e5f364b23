import type { ListedProvider, ProviderEvidence, SetUp } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { momentInText } from '../display/moment.ts';
import { pill } from '../display/pill.ts';
import { postForm } from '../form.ts';
import type { Tone } from '../parts.ts';
import type { Person } from '../person.ts';
import { confidenceNote } from './confidence-note.ts';
import { paramFields } from './connecting/connect-form.ts';

/** The prefix of the form's field names, before the dot. */
export const TRY = 'try';

type Tried = NonNullable<ProviderEvidence['tried']>;
type Step = Tried['steps'][number];

const STEPS: Record<Step['name'], string> = {
  connection: 'Internet connection',
  discovery: 'Discovery document',
  'authorization page': 'Authorization page',
  'wrong code': 'Made-up code',
  'wrong key': 'Made-up key',
};

const STATES: Record<Step['state'], readonly [Tone, string]> = {
  passed: ['good', 'Passed'],
  failed: ['bad', 'Failed'],
  unclear: ['warn', 'Unclear'],
  skipped: ['none', 'Skipped'],
};

/** One step of a trial. Only admins see the details, because only they can act on them. */
const stepItem = ({ role }: Person, { name, state, detail }: Step): Html =>
  html`<li>${STEPS[name]} ${pill(...STATES[state])}${role === 'admin' && html`<span class="hint">${detail}</span>`}</li>`;

const resultPart = (person: Person, { endedAt, steps }: Tried): Html =>
  html`<h3>Last tried here ${momentInText(endedAt, person.region)}</h3><ul class="tried">${steps.map((step) => stepItem(person, step))}</ul>`;

const whatHappens = ({ name, kind }: ListedProvider): string =>
  kind === 'oauth2'
    ? `Patchbay opens the authorization page of ${name} and sends a code that it made up, with the OAuth app from the setup. Nothing is granted.`
    : `Patchbay sends ${name} a key that it made up, which should be refused.`;

const tryForm = (person: Person, provider: ListedProvider, { params: known }: SetUp, again: boolean): Html => {
  if (!provider.configured) return html`<p class="quiet">You can try it here once its OAuth app is set up.</p>`;
  const asked = provider.params.filter(({ name, default: standard }) => standard === null && !(name in known));
  return html`<p class="quiet">${whatHappens(provider)}</p>${postForm(person, {
    action: `/integrations/${provider.id}/try`,
    content: html`${paramFields(asked, TRY, {}, true)}`,
    button: again ? 'Try it again' : 'Try it',
    kind: 'plain',
  })}`;
};

type View = { provider: ListedProvider; setUp: SetUp; evidence: ProviderEvidence };

/** Shows how well a provider's entry is known to work. */
export const evidenceSection = (
  person: Person,
  { provider, setUp, evidence: { sources, tried } }: View,
): Html | null => {
  const note = confidenceNote({ ...provider, sources });
  if (!note && !tried && person.role !== 'admin') return null;
  return html`<section class="card set-up" id="tried"><h2>Does it work?</h2>${note}${tried && resultPart(person, tried)}
${person.role === 'admin' && tryForm(person, provider, setUp, tried !== null)}</section>`;
};
