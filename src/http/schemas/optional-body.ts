import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const fillIn = (request: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
  request.body ??= {};
  done();
};

/** If no body was sent to a route with an optional body, fills in an empty object, whatever the content type. */
export const useOptionalBodies = (server: FastifyInstance): void => {
  server.addHook('onRoute', (route) => {
    if (route.config?.optionalBody) route.preValidation = [fillIn, ...[route.preValidation ?? []].flat()];
  });
};
