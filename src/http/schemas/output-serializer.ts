import buildSerializers from '@fastify/fast-json-stringify-compiler';
import { compileLater } from './compile-later.ts';
import { flatSchema } from './flat-schema.ts';

const createSerializers = buildSerializers();

/**
 * Turns responses into JSON. Schemas are compiled on first use, like those for input. The validators for unions are
 * compiled then, too.
 */
export const createOutputSerializer = (): typeof createSerializers => (schemas, options) => {
  const compile = createSerializers(schemas, { ...options, compileValidators: true });
  return (route) => {
    const getSerializer = compileLater(() => compile({ ...route, schema: flatSchema(route.schema) }));
    return (value) => getSerializer()(value);
  };
};
