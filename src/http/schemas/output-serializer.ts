import buildSerializers from '@fastify/fast-json-stringify-compiler';
import { compileLater } from './compile-later.ts';
import { flatSchema } from './flat-schema.ts';

const createSerializers = buildSerializers();

type Serializer = ReturnType<ReturnType<typeof createSerializers>>;

/** The serializers of all servers of this process, by their schemas. Every server has the same shared schemas. */
const compiled = new WeakMap<object, Serializer>();

/**
 * Turns responses into JSON. Schemas are compiled on first use, like those for input. The validators for unions are
 * compiled then, too.
 */
export const createOutputSerializer = (): typeof createSerializers => (schemas, options) => {
  const compile = createSerializers(schemas, { ...options, compileValidators: true });
  return (route) => {
    const schema = route.schema as object;
    const getSerializer = compileLater(() => {
      const known = compiled.get(schema);
      const serializer = known ?? compile({ ...route, schema: flatSchema(schema) });
      compiled.set(schema, serializer);
      return serializer;
    });
    return (value) => getSerializer()(value);
  };
};
