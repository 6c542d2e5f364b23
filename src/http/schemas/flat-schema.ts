type Schema = { readonly [key: string]: unknown };

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNull = ({ type }: Schema): boolean => type === 'null';
const isWord = ({ const: word }: Schema): boolean => typeof word === 'string';

/** Flattens the unions "this or null" and "one of these words". Null for any other union. */
const flatten = (members: readonly Schema[]): Schema | null => {
  const [one, ...others] = members.filter((member) => !isNull(member));
  if (!one) return null;
  const nullable = members.some(isNull) ? { nullable: true } : {};
  if (others.length === 0) return { ...one, ...nullable };
  return [one, ...others].every(isWord) ? { type: 'string', ...nullable } : null;
};

/**
 * Removes as many unions as possible from a schema for the serializer. The serializer builds a validator for each
 * union, which is slow, and all of them together took 55 MB.
 */
export const flatSchema = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(flatSchema);
  if (!isSchema(schema)) return schema;
  const flat: Schema = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, flatSchema(value)]));
  const { anyOf, ...rest } = flat;
  const union = Array.isArray(anyOf) && anyOf.every(isSchema) ? flatten(anyOf) : null;
  return union ? { ...union, ...rest } : flat;
};
