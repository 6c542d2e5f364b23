import { Type } from '../../../platform/index.ts';

/**
 * A text with places in a delivery: `{header:x-event}`, `{query:challenge}`, `{body:data.id}`, `{item:id}` (of the item,
 * if one delivery has several, and `{item}` for one that is a plain value), `{claim:accountId}` (of a verified JWT) and
 * `{signature:t}` (a named part of the signature's header).
 */
export const Template = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^(?:[^{}]|\\{(?:(?:header|query|body|item|claim|signature):[^{}]+|item)\\})+$',
  description: 'a text with places like {header:x-event} or {body:data.id}',
});

/** Templates of which the first one whose places all have a value is used. */
export const Templates = Type.Array(Template, { minItems: 1, maxItems: 10 });

export type Source = 'header' | 'query' | 'body' | 'item' | 'claim' | 'signature';
export type MessagePlace = { source: Source; path: string };

const PLACE = /\{(header|query|body|item|claim|signature)(?::([^{}]+))?\}/g;

export const listPlaces = (template: string): MessagePlace[] =>
  [...template.matchAll(PLACE)].map(([, source, path = '']) => ({ source: source as Source, path }));

/** Fills in a template. Null if a place has no value. */
export const fillTemplate = (template: string, read: (place: MessagePlace) => string | null): string | null => {
  let isComplete = true;
  const text = template.replace(PLACE, (_, source: Source, path = '') => {
    const value = read({ source, path });
    isComplete &&= value !== null;
    return value ?? '';
  });
  return isComplete ? text : null;
};

/** Fills in the first of several templates whose places all have a value. Null if none is complete. */
export const fillFirstTemplate = (
  templates: readonly string[],
  read: (place: MessagePlace) => string | null,
): string | null => {
  for (const template of templates) {
    const text = fillTemplate(template, read);
    if (text !== null) return text;
  }
  return null;
};
