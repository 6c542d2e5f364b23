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

/** Parses the body as JSON or as a form. Null if it's neither. */
export const parseContent = (message: Message, jsonField: string | undefined): MessageContent => {
  const type = readTextHeader(message, 'content-type') ?? 'application/json';
  const text = message.body.toString('utf8');
  if (FORM.test(type)) return parseForm(text, jsonField);
  const value = JSON_TYPE.test(type) ? parseJson(text) : undefined;
  return value === undefined ? null : { value, isJson: true };
};
