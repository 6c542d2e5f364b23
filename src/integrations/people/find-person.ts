import { isWrittenAs } from '../../platform/index.ts';
import type { PeopleRules } from '../catalogue/people/people.ts';
import { pick, pickText } from '../catalogue/pick.ts';
import { expandAddress, ValueMissing, type Values } from '../catalogue/placeholders.ts';
import { toLabel } from '../requests/fetch-holder.ts';

/** A contact at a provider. */
export type Contact = { id: string; name: string; url: string | null };

/** What a response to a search says of a number. */
export type Matches = { state: 'none' } | { state: 'found'; contact: Contact } | { state: 'several' };

const PLACE = /\{([^{}]+)\}/g;
/** How many items of a response are looked at. */
const MOST_ITEMS = 200;
const MOST_NUMBERS = 20;
const MOST_ID_CHARACTERS = 200;

/** Lists the texts at a path: a text, or a list of texts, or of objects whose `value` is a text. */
const listTextsAt = (item: unknown, path: string): string[] => {
  const found = pick(item, path);
  const all = Array.isArray(found) ? found.slice(0, MOST_NUMBERS) : [found];
  return all.flatMap((one) => {
    const text = typeof one === 'object' && one !== null && 'value' in one ? one.value : one;
    return typeof text === 'string' || typeof text === 'number' ? [String(text)] : [];
  });
};

const hasNumber = (item: unknown, { numbers }: PeopleRules, number: string): boolean =>
  numbers.some((path) => listTextsAt(item, path).some((text) => isWrittenAs(text, number)));

const nameOf = (item: unknown, { name }: PeopleRules): string | null => {
  for (const template of name) {
    const text = template.replace(PLACE, (_, path: string) => pickText(item, [path]) ?? '');
    const label = toLabel(text.replaceAll(/\s+/g, ' ').trim());
    if (label !== null && label.trim() !== '') return label;
  }
  return null;
};

const urlOf = ({ url }: PeopleRules, id: string, values: Values): string | null => {
  try {
    return expandAddress(url, { ...values, id }).href;
  } catch (error) {
    if (error instanceof ValueMissing) return null;
    throw error;
  }
};

/**
 * Reads who has a number from a response. Null if the response isn't one of a search. Several contacts count as several
 * only if their IDs differ: a wrong name is worse than none.
 */
export const readMatches = (content: unknown, rules: PeopleRules, number: string, values: Values): Matches | null => {
  const items = pick(content, rules.items);
  if (!Array.isArray(items)) return null;
  const fitting = items.slice(0, MOST_ITEMS).filter((item) => hasNumber(item, rules, number));
  const contacts = new Map<string, unknown>();
  for (const item of fitting) {
    const id = pickText(item, [rules.id]);
    if (id !== null && id.length <= MOST_ID_CHARACTERS) contacts.set(id, item);
  }
  if (contacts.size > 1) return { state: 'several' };
  const [first] = contacts;
  if (!first) return { state: 'none' };
  const [id, item] = first;
  const name = nameOf(item, rules);
  return name === null ? { state: 'none' } : { state: 'found', contact: { id, name, url: urlOf(rules, id, values) } };
};
