import fc from 'fast-check';
import { anyCharacter } from './any-character.ts';

type Schema = Readonly<Record<string, unknown>>;
/** Those that others refer to, by name. */
type Named = Readonly<Record<string, Schema>>;

/** Text that has broken something somewhere. */
const NASTY = [
  ...['', ' ', '\u0000', '\\', '"', "'", "'; drop table users; --", '%', '%00', '../../etc/passwd', '..', '.'],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'undefined',
    'null',
    'true',
    '0',
    '-1',
    '1e400',
    'NaN',
    '[object Object]',
  ],
  ...[
    '<script>alert(1)</script>',
    '\u202e',
    '\ufeff',
    '😀',
    'é'.normalize('NFD'),
    '\r\nX-Injected: 1',
    'a'.repeat(501),
  ],
  ...['a'.repeat(3_000), '01900000-0000-7000-8000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
];

export const anyText = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: anyCharacter, maxLength: 50 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
);

const anyNumber = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger());

export const anyJson = fc.oneof(fc.jsonValue({ maxDepth: 4 }), anyText, anyNumber, fc.constantFrom(null, true, [], {}));

const textFor = ({ format, minLength = 0, maxLength = 100 }: Schema): fc.Arbitrary<unknown> => {
  if (format === 'email') return fc.emailAddress();
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  return fc.oneof(
    fc.string({ unit: 'grapheme', minLength: Number(minLength), maxLength: Math.min(Number(maxLength), 200) }),
    fc.constantFrom('09:00', '24:00', 'Europe/Berlin', 'UTC', 'a'),
  );
};

const resolve = (schema: Schema, named: Named): Schema => {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  const found = named[$ref.replace('#/components/schemas/', '')];
  if (!found) throw new Error(`There is no ${$ref}.`);
  return found;
};

/** Values that match a schema, or nearly: patterns are left to chance. */
export const valuesFor = (given: Schema, named: Named): fc.Arbitrary<unknown> => {
  const schema = resolve(given, named);
  const { type, anyOf, enum: choices, properties = {}, required = [], items, maxItems = 5 } = schema;
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((one: Schema) => valuesFor(one, named)));
  if (Array.isArray(choices)) return fc.constantFrom(...choices);
  if ('const' in schema) return fc.constant(schema['const']);
  if (type === 'string') return textFor(schema);
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer' || type === 'number') {
    const { minimum = -1_000, maximum = 1_000_000 } = schema;
    return fc.integer({ min: Number(minimum), max: Number(maximum) });
  }
  if (type === 'array')
    return fc.array(valuesFor((items ?? {}) as Schema, named), { maxLength: Math.min(Number(maxItems), 4) });
  if (type === 'object') {
    const members = Object.entries(properties as Record<string, Schema>).map(
      ([name, one]) => [name, valuesFor(one, named)] as const,
    );
    const model: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(members);
    return fc.record(model, { requiredKeys: [...(required as string[])] });
  }
  return anyJson;
};

/** What matches, what matches except for one property, and what doesn't match at all. */
export const valuesAround = (given: Schema, named: Named): fc.Arbitrary<unknown> => {
  const schema = resolve(given, named);
  const names = Object.keys((schema['properties'] ?? {}) as object);
  const spoiled = fc
    .tuple(valuesFor(schema, named), fc.constantFrom(...names, 'unknown', 'id', 'teamId', 'role'), anyJson)
    .map(([value, name, other]) => ({ ...(value as object), [name]: other }));
  return fc.oneof({ weight: 4, arbitrary: valuesFor(schema, named) }, { weight: 3, arbitrary: spoiled }, anyJson);
};
