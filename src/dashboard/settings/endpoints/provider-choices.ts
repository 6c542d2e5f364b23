import { type Html, html } from '../../../platform/index.ts';
import { checkBox, textArea } from '../../form.ts';

/** What an endpoint gets of all that happens at connected accounts. */
const ALL = 'provider.event';
const PREFIX = `${ALL}:`;

const BOX = `types.${ALL}`;
const LINES = 'providers';

/** Reads the choices of what happens at connected accounts: all of it, or a line for each provider or type. */
export const readProviderChoices = (body: Readonly<Record<string, string>>): string[] => {
  if (BOX in body) return [ALL];
  const lines = (body[LINES] ?? '').split('\n').map((line) => line.trim());
  return [...new Set(lines.filter(Boolean))].map((line) => `${PREFIX}${line}`);
};

export const isProviderChoice = (type: string): boolean => type === ALL || type.startsWith(PREFIX);

const EXAMPLES = 'One per line: a provider, like github, or one of its types, like github/issues';

export const providerFieldset = (types: readonly string[]): Html => {
  const chosen = types.filter((type) => type.startsWith(PREFIX)).map((type) => type.slice(PREFIX.length));
  return html`<fieldset class="event-types"><legend>What providers report in their webhooks</legend>
${checkBox({ name: BOX, label: 'Everything that happens at connected accounts', checked: types.includes(ALL) })}
${textArea({ name: LINES, label: 'Or only from these', value: chosen.join('\n'), rows: 3, hint: EXAMPLES })}</fieldset>`;
};
