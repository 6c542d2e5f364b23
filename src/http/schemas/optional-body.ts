import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const fillIn = (request: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
  request.body ??= {};
  done();
};

/** A route with an optional body gets an empty one if there is none, with any content type or without one. */
export const useOptionalBodies = (server: FastifyInstance): void => {
  server.addHook('onRoute', (route) => {
    if (route.config?.optionalBody) route.preValidation = [fillIn, ...[route.preValidation ?? []].flat()];
  });
};
