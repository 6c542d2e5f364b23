import buildSerializers from '@fastify/fast-json-stringify-compiler';
import { compileLater } from './compile-later.ts';
import { flatSchema } from './flat-schema.ts';

const createSerializers = buildSerializers();

/** Turns a response into JSON. As with input, schemas are compiled on first use, and then completely, unions included. */
export const createOutputSerializer = (): typeof createSerializers => (schemas, options) => {
  const compile = createSerializers(schemas, { ...options, compileValidators: true });
  return (route) => {
    const getSerializer = compileLater(() => compile({ ...route, schema: flatSchema(route.schema) }));
    return (value) => getSerializer()(value);
  };
};
