import type { FastifyInstance } from 'fastify';
import { LIMITS } from '../contract/limits.ts';

/** Gives the routes of a scope the body as raw bytes, whatever its content type. Signatures are over those bytes. */
export const useRawBody = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers();
  // Fastify finds a named type directly. For all other types, it has to parse the header first.
  const types = ['application/x-www-form-urlencoded', 'application/json', '*'];
  for (const type of types)
    scope.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit: LIMITS.webhookBytes }, (_request, body, done) =>
      done(null, body),
    );
};
