import buildSerializers from '@fastify/fast-json-stringify-compiler';
import { compileLater } from './compile-later.ts';
import { flatSchema } from './flat-schema.ts';

const createSerializers = buildSerializers();

/** How an answer becomes JSON. As with what comes in, schemas are compiled later, and then wholly, unions included. */
export const createOutputSerializer = (): typeof createSerializers => (schemas, options) => {
  const compile = createSerializers(schemas, { ...options, compileValidators: true });
  return (route) => {
    const getSerializer = compileLater(() => compile({ ...route, schema: flatSchema(route.schema) }));
    return (answer) => getSerializer()(answer);
  };
};
