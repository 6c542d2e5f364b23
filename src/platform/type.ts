import type { Type as TypeBox } from 'typebox';

type Schema = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, Schema>>;

/** Marks an optional property. Not enumerable, so that it doesn't end up in JSON. */
const OPTIONAL = '~optional';

const markOptional = (schema: Schema): Schema => Object.defineProperty({ ...schema }, OPTIONAL, { value: true });

const makeObject = (properties: Properties, options?: Schema): Schema => {
  const required = Object.keys(properties).filter((name) => !(OPTIONAL in (properties[name] ?? {})));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
};

const mapProperties = (
  { properties }: { properties: Properties },
  map: (name: string, schema: Schema) => Schema | null,
): Properties =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) => {
      const mapped = map(name, schema);
      return mapped ? [[name, mapped]] : [];
    }),
  );

const ofType = (type: string) => (options?: Schema) => ({ type, ...options });

const builder = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: ofType('boolean'),
  Enum: (values: readonly string[], options?: Schema) => ({ enum: values, ...options }),
  Integer: ofType('integer'),
  Literal: (value: string | number | boolean, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Null: ofType('null'),
  Number: ofType('number'),
  Object: makeObject,
  Optional: markOptional,
  Partial: (object: { properties: Properties }, options?: Schema) =>
    makeObject(
      mapProperties(object, (_, schema) => markOptional(schema)),
      options,
    ),
  Pick: (object: { properties: Properties }, names: readonly string[], options?: Schema) =>
    makeObject(
      mapProperties(object, (name, schema) => (names.includes(name) ? schema : null)),
      options,
    ),
  Record: ({ pattern = '^.*$' }: { pattern?: string }, value: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { [pattern]: value },
    ...options,
  }),
  String: ofType('string'),
  Union: (anyOf: readonly Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unknown: (options?: Schema) => ({ ...options }),
};

/**
 * Builds JSON Schema with TypeBox's types, but without loading TypeBox: its 680 modules would be a third of everything
 * loaded at startup, and these builders are all we use. `type.test.ts` compares the two.
 */
export const Type = builder as unknown as Pick<typeof TypeBox, keyof typeof builder>;
