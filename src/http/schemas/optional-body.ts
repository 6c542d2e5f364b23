import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const fillIn = (request: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
  request.body ??= {};
  done();
};

/** Gives a route with an optional body an empty one if none was sent, with any content type or without one. */
export const useOptionalBodies = (server: FastifyInstance): void => {
  server.addHook('onRoute', (route) => {
    if (route.config?.optionalBody) route.preValidation = [fillIn, ...[route.preValidation ?? []].flat()];
  });
};
