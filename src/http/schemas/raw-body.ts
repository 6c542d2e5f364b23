import type { FastifyInstance } from 'fastify';

export const WEBHOOK_MOST_BYTES = 256 * 1024;

/** A scope whose routes get the body as raw bytes, for signatures, whatever its content type. */
export const useRawBody = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers();
  // Named types are found directly. For all others the header is parsed first.
  const types = ['application/x-www-form-urlencoded', 'application/json', '*'];
  for (const type of types)
    scope.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit: WEBHOOK_MOST_BYTES }, (_request, body, done) =>
      done(null, body),
    );
};
