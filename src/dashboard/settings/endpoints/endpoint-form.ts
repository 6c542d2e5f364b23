import { choicesOf, type EndpointInput, type EventType, endpointFields } from '../../../events/index.ts';
import { type Html, html, Type } from '../../../platform/index.ts';
import { EVENT_TYPE_WORDS } from '../../events/event-type-words.ts';
import { checkBox, field } from '../../form.ts';
import { isProviderChoice, providerFieldset, readProviderChoices } from './provider-choices.ts';

/** The body of the form. It has a checkbox per event type, so its fields are checked after they are read. */
export const EndpointFormBody = Type.Record(Type.String({ maxLength: 60 }), Type.String({ maxLength: 13_000 }));
export type EndpointFormBody = Readonly<Record<string, string>>;

export const NewEndpoint = Type.Object(endpointFields(false));

const EVERYTHING = '*';
const CHOICES = choicesOf(false);
const GROUPS = CHOICES.filter((choice) => choice.endsWith('.*'));

const boxOf = (choice: string): string => `types.${choice}`;

const isIn = (group: string, type: string): boolean => type !== group && type.startsWith(group.slice(0, -1));

/** Reads the chosen types. A chosen group replaces the types in it, and "everything" all but those of providers. */
const readTypes = (body: EndpointFormBody): string[] => {
  const ofProviders = readProviderChoices(body);
  const chosen = CHOICES.filter((choice) => !isProviderChoice(choice) && boxOf(choice) in body);
  if (chosen.includes(EVERYTHING)) return [EVERYTHING, ...ofProviders];
  const groups = chosen.filter((choice) => GROUPS.includes(choice));
  return [...chosen.filter((choice) => !groups.some((group) => isIn(group, choice))), ...ofProviders];
};

export const readEndpointForm = (body: EndpointFormBody): EndpointInput => ({
  url: (body['url'] ?? '').trim(),
  types: readTypes(body),
  description: (body['description'] ?? '').trim(),
});

export const explainEndpoint = ([name, index]: readonly string[]): string => {
  if (name === 'url') return 'The endpoint needs a URL of up to 2,000 characters.';
  if (index !== undefined)
    return 'Write a provider as in its address here, like github, or one of its types, like github/issues.';
  return name === 'types'
    ? 'Choose at least one type of event, and at most 50.'
    : 'The description can have up to 200 characters.';
};

const typeBox = (choice: string, label: string, types: readonly string[]): Html =>
  checkBox({ name: boxOf(choice), label, checked: types.includes(choice) });

const groupBoxes = (group: string, types: readonly string[]): Html => {
  const name = group.slice(0, -2);
  return html`<fieldset><legend>${name.charAt(0).toUpperCase()}${name.slice(1)}s</legend>
${typeBox(group, `Everything about ${name}s`, types)}${CHOICES.filter((choice) => isIn(group, choice)).map((type) =>
  typeBox(type, EVENT_TYPE_WORDS[type as EventType], types),
)}</fieldset>`;
};

const typeBoxes = (types: readonly string[]): Html =>
  html`<fieldset class="event-types"><legend>What to send</legend>
${typeBox(EVERYTHING, "Everything but providers' webhooks, also what is added in later versions", types)}
<div class="event-groups">${GROUPS.map((group) => groupBoxes(group, types))}</div></fieldset>
${providerFieldset(types)}`;

type EndpointDraft = EndpointInput & {
  /** The URL without its query, for an existing endpoint. */
  shownUrl?: string;
};

export const endpointFieldset = ({ url, types, description, shownUrl }: EndpointDraft): Html =>
  html`${field({
    name: 'url',
    label: shownUrl === undefined ? 'URL' : 'New URL',
    type: 'url',
    value: url,
    required: shownUrl === undefined,
    placeholder: 'https://example.com/events',
    hint:
      shownUrl === undefined
        ? "It's stored encrypted, and its query is never shown."
        : `Leave this empty to keep the current one, ${shownUrl}`,
  })}
${field({ name: 'description', label: 'Description', value: description, hint: 'What it is for, so you can recognize it later.' })}
${typeBoxes(types)}`;
