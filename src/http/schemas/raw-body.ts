import type { FastifyInstance } from 'fastify';

export const WEBHOOK_MOST_BYTES = 256 * 1024;

/** A scope whose routes get the body as the bytes that came, for signatures. Whatever type it claims, it is kept. */
export const useRawBody = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers();
  // Those that are named are found at once; for all others the header is taken apart first.
  const types = ['application/x-www-form-urlencoded', 'application/json', '*'];
  for (const type of types)
    scope.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit: WEBHOOK_MOST_BYTES }, (_request, body, done) =>
      done(null, body),
    );
};
