import { Type } from '../../platform/index.ts';

/** What many fields of an entry are made of. */

export const strict = { additionalProperties: false };
export const Text = Type.String({ minLength: 1 });
export const Address = Type.String({
  pattern: '^(https?://|\\{)',
  maxLength: 500,
  description: 'a URL, which begins with https:// or with a placeholder',
});
export const Texts = Type.Record(Type.String(), Type.String());
