import type { Webhook } from '../../catalogue/webhook/webhook.ts';
import { parseExactly } from '../../requests/parse-exactly.ts';
import { type Message, type MessageContent, readTextHeader } from './message.ts';

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json(?:\s*;|\s*$)/i;
const FORM = /^application\/x-www-form-urlencoded(?:\s*;|\s*$)/i;
/** How deep a message may be nested. None of a provider's comes near, and readers that recurse stay safe. */
const MOST_LEVELS = 100;
const MOST_FIELDS = 1_000;

const isTooDeep = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
};

const parseJson = (text: string): unknown => {
  try {
    const value = parseExactly(text);
    return isTooDeep(value, MOST_LEVELS) ? undefined : value;
  } catch {
    return undefined;
  }
};

const parseForm = (text: string, jsonField: string | undefined): MessageContent => {
  const fields = new URLSearchParams(text);
  if (fields.size === 0 || fields.size > MOST_FIELDS) return null;
  const json = jsonField === undefined ? null : fields.get(jsonField);
  if (json === null) return { value: Object.fromEntries(fields), isJson: false };
  const value = parseJson(json);
  return value === undefined ? null : { value, isJson: false };
};

/** Parses the body as JSON, or as a form if the provider sends forms. Null if it's neither. */
export const parseContent = (
  message: Message,
  { form, jsonField }: Pick<Webhook, 'form' | 'jsonField'>,
): MessageContent => {
  const type = readTextHeader(message, 'content-type') ?? 'application/json';
  const text = message.body.toString('utf8');
  // What a provider signs elsewhere, such as the query of a callback, must not count as a message.
  if (FORM.test(type)) return form ? parseForm(text, jsonField) : null;
  const value = JSON_TYPE.test(type) ? parseJson(text) : undefined;
  return value === undefined ? null : { value, isJson: true };
};
