import type { FastifyInstance } from 'fastify';
import { LIMITS } from '../contract/limits.ts';

/** A scope whose routes get the body as raw bytes, for signatures, whatever its content type. */
export const useRawBody = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers();
  // Named types are found directly. For all others the header is parsed first.
  const types = ['application/x-www-form-urlencoded', 'application/json', '*'];
  for (const type of types)
    scope.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit: LIMITS.webhookBytes }, (_request, body, done) =>
      done(null, body),
    );
};
