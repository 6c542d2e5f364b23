import type { FastifyInstance } from 'fastify';

export const WEBHOOK_MOST_BYTES = 256 * 1024;

/** A scope whose routes get the body as the bytes that came, for signatures. Whatever type it claims, it is kept. */
export const useRawBody = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: WEBHOOK_MOST_BYTES }, (_request, body, done) =>
    done(null, body),
  );
};
