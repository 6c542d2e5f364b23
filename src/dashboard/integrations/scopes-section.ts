import { type ListedProvider, type SetUp, scopesSettingOf } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { copyable } from '../display/copy-button.ts';
import { postForm, textArea } from '../form.ts';
import type { Person } from '../person.ts';
import { listScopes } from './connection-story.ts';

type ScopesView = {
  provider: ListedProvider;
  setUp: SetUp;
  /** The value of a form that was refused. */
  draft?: string | undefined;
};

const scopesForm = (person: Person, { provider, setUp, draft }: ScopesView): Html => {
  const { id, requiredScopes } = provider;
  const always = requiredScopes.length > 0 ? ` Always requested: ${requiredScopes.join(' ')}.` : '';
  return html`<details${draft !== undefined && html` open`}><summary>Edit scopes</summary>${postForm(person, {
    action: `/integrations/${id}/credentials/scopes`,
    content: textArea({
      name: 'defaultScopes',
      label: 'Scopes to request',
      value: draft ?? setUp.client?.scopes?.join('\n') ?? '',
      rows: 4,
      hint: `Separated by spaces or line breaks. If empty: the defaults.${always}`,
    }),
    button: 'Save scopes',
  })}</details>`;
};

/** Says where the requested scopes come from, and how to change them. */
const sourceOf = (person: Person, view: ScopesView): Html => {
  const { provider, setUp } = view;
  const setting = copyable('setting', scopesSettingOf(provider.id));
  if (setUp.client?.of === 'team')
    return html`<p class="quiet">${setUp.client.scopes ? "Chosen for your team's OAuth app." : 'These are the defaults.'}</p>${person.role === 'admin' && scopesForm(person, view)}`;
  return person.role === 'admin'
    ? html`<p class="quiet">These apply to all teams. To change them, set ${setting} and restart Patchbay. To change them for your team only, use your own OAuth app.</p>`
    : html`<p class="quiet">Your administrator sets these for all teams.</p>`;
};

/** Shows which scopes a connect requests, and how to change them. */
export const scopesSection = (person: Person, view: ScopesView): Html => {
  const { name, scopes } = view.provider;
  return html`<section class="set-up-scopes"><h3>Scopes</h3>
${scopes.length > 0 ? html`<p>Connecting asks for:</p>${listScopes(scopes)}` : html`<p>Connecting asks for no scopes: ${name} decides what your OAuth app may do.</p>`}
${sourceOf(person, view)}
<p class="quiet">You can choose others whenever you connect an account. A connection keeps the scopes it was granted until you change them.</p></section>`;
};
