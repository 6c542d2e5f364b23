import type { InputError } from '../../platform/index.ts';
import { matchesWhole } from '../catalogue/find-entry-flaws.ts';
import { type KeyField, type KeyRecord, listKeyFields } from '../catalogue/key-record.ts';
import type { Values } from '../catalogue/placeholders.ts';
import { fieldsInvalid } from './errors.ts';

/** Longer than any key, and short enough for a header. */
const MOST_CHARACTERS = 2_000;
/** Characters that a header may contain. A line break could start another header. */
const PRINTABLE = /^[\x20-\x7e]*$/;
const NAME = /^[a-z][a-zA-Z0-9_]{0,39}$/;

/** Describes what is wrong with an entered value, without repeating it. Null if nothing is wrong. */
const findFlaw = (name: string, { pattern, maxLength = MOST_CHARACTERS }: KeyField, value: string): string | null => {
  if (value === '') return 'is required';
  if (value.length > maxLength) return `must have ${maxLength} characters at most`;
  if (!PRINTABLE.test(value)) return 'must be plain ASCII, without line breaks or other control characters';
  if (value.trim() !== value) return 'must not begin or end with a space';
  // In Basic authentication, a colon ends the user name (RFC 7617).
  if (name === 'username' && value.includes(':')) return 'must not contain a colon';
  if (pattern !== undefined && !matchesWhole(pattern, value)) return "doesn't look like one of this provider";
  return null;
};

/** Checks the given fields: all fields of the entry, no others, and only values that can be sent. */
export const checkKeyFields = (record: Pick<KeyRecord, 'kind' | 'fields'>, given: Values): Values => {
  const declared = new Map<string, KeyField>(listKeyFields(record));
  const unknown = Object.keys(given).filter((name) => !declared.has(name));
  const wrong: InputError[] = [
    ...[...declared].flatMap(([name, field]) => {
      const flaw = findFlaw(name, field, Object.hasOwn(given, name) ? (given[name] ?? '') : '');
      return flaw === null ? [] : [{ path: `fields.${name}`, message: flaw }];
    }),
    // Someone may have put the key itself where the name belongs. Repeat a name only if it looks like one.
    ...unknown.map((name) => ({
      path: NAME.test(name) ? `fields.${name}` : 'fields',
      message: NAME.test(name) ? 'is not a field of this provider' : 'has a field that this provider does not have',
    })),
  ];
  if (wrong.length > 0) throw fieldsInvalid(wrong);
  return Object.fromEntries([...declared.keys()].map((name) => [name, given[name] ?? '']));
};

/** Lists the values that must never be shown. */
export const secretsIn = (record: Pick<KeyRecord, 'kind' | 'fields'>, fields: Values): string[] =>
  listKeyFields(record).flatMap(([name, { secret = true }]) => (secret ? [fields[name] ?? ''] : []));
