import { type Html, html } from '../../../platform/index.ts';
import { checkBox, choice, field, postForm } from '../../form.ts';
import type { Person } from '../../person.ts';
import { CONTAINMENT } from './containment-words.ts';
import { type EnteredContainment, EVERYTHING } from './entered-containment.ts';

/** What can be stopped: a provider's connections, a token, or everything. */
export type Stoppable = {
  providers: readonly { id: string; name: string }[];
  tokens: readonly { id: string; name: string }[];
};

const optionsOf = ({ providers, tokens }: Stoppable) => [
  { value: EVERYTHING, label: 'All connections and access tokens' },
  {
    group: 'Connections',
    options: providers.map(({ id, name }) => ({ value: `provider ${id}`, label: `${name} connections` })),
  },
  { group: 'Access tokens', options: tokens.map(({ id, name }) => ({ value: `token ${id}`, label: name })) },
];

/** The form that asks what to stop. It leads to a page that says what would happen. */
export const containmentForm = (person: Person, stoppable: Stoppable, entered?: EnteredContainment): Html =>
  html`<section class="sheet"><h2>Stop something</h2>${postForm(person, {
    action: `${CONTAINMENT.path}/forecast`,
    content: html`${choice({
      ...{ name: 'what', label: 'What may have leaked', value: entered?.what ?? EVERYTHING },
      options: optionsOf(stoppable),
      hint: 'Only what exists now. What is connected or made later isn’t affected.',
    })}${field({
      ...{ name: 'reason', label: 'What happened', value: entered?.reason ?? '', required: true },
      hint: 'For the record and the audit log. Don’t enter secrets.',
    })}${checkBox({
      ...{ name: 'revoke', label: 'Also end access at the providers', checked: entered?.revoke !== undefined },
      hint: 'People have to connect these accounts again. For an access token: everything it was used with.',
    })}`,
    button: 'See what would be stopped',
  })}</section>`;
