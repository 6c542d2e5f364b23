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
export const Name = Type.String({ pattern: '^[a-z][a-zA-Z0-9_]*$' });
/** A place in a response: `data.id`, `[0].id`, `accounts[is_default].id` (the first whose field is true). */
export const Path = Type.String({ minLength: 1, maxLength: 200 });
const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'a date like 2026-11-15' });

const Param = Type.Object(
  {
    about: Text,
    /** We anchor it, so it matches the whole value. */
    pattern: Text,
    example: Type.String(),
    /** With a default, the param is optional. */
    default: Type.Optional(Type.String()),
  },
  strict,
);

/** What every entry can have, whatever its kind. */
export const common = {
  id: Type.String({
    pattern: '^[a-z][a-z0-9-]{0,39}$',
    description: '1 to 40 lowercase letters, digits, and -, starting with a letter',
  }),
  name: Type.String({ minLength: 1, maxLength: 80 }),
  category: Type.Optional(Text),
  /** Its logo in simple-icons, by its slug there. Built-in entries only; without one, its initials are shown. */
  logo: Type.Optional(Type.String({ pattern: '^[a-z0-9]+$', description: 'lowercase letters and digits' })),
  /** Among the first to be shown, where there isn't room for all. An operator's own entries are, unless they say otherwise. */
  popular: Type.Optional(Type.Boolean()),
  /** Where an OAuth app is registered: the provider's developer console, or the page of its docs that leads there. */
  developerUrl: Type.Optional(
    Type.String({ pattern: '^https://', maxLength: 500, description: 'a URL, which begins with https://' }),
  ),
  params: Type.Optional(Type.Record(Name, Param, strict)),
  defaults: Type.Optional(Texts),
  /** Credentials go only to hosts under these. Default: the hosts of the URLs without placeholders. */
  domains: Type.Optional(
    Type.Array(Type.String({ pattern: '^[a-z0-9.-]+$', description: 'a host name like example.com' })),
  ),
  sunsets: Type.Optional(Type.Array(Type.Object({ date: Day, what: Text, source: Text }, strict))),
  /** The provider has shut it down, so it can no longer be connected. */
  retired: Type.Optional(Type.Object({ since: Day, reason: Text }, strict)),
};
