import buildSerializers from '@fastify/fast-json-stringify-compiler';

const createSerializers = buildSerializers();

/** How an answer becomes JSON. As with what comes in, a schema is compiled when an answer first needs it. */
export const createOutputSerializer: typeof createSerializers = (schemas, options) => {
  const compile = createSerializers(schemas, options);
  return (route) => {
    let serialize: ReturnType<typeof compile> | undefined;
    return (answer) => {
      serialize ??= compile(route);
      return serialize(answer);
    };
  };
};
