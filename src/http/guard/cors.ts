import type { FastifyInstance, FastifyRequest } from 'fastify';

const REQUEST_HEADERS = 'authorization, content-type, x-csrf-token, patchbay-links';
const RESPONSE_HEADERS = 'x-request-id, patchbay-version, patchbay-from, retry-after';
const PREFLIGHT_SECONDS = '600';

/**
 * Lets pages from the listed origins call the API with credentials. We don't use a plugin because a preflight must name
 * the methods that the path really accepts, and any other OPTIONS must fall through to the 405.
 */
export const useCors = (
  server: FastifyInstance,
  origins: readonly string[],
  methodsAt: (request: FastifyRequest) => readonly string[],
): void => {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  server.addHook('onRequest', (request, reply, done) => {
    // No other origin may read the pages, because they contain the session's CSRF token.
    if (!request.url.startsWith('/api/')) return done();
    reply.header('vary', 'origin');
    const { origin } = request.headers;
    if (origin === undefined || !allowed.has(origin)) return done();
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': RESPONSE_HEADERS,
    });
    if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return done();
    const methods = methodsAt(request);
    if (methods.length === 0) return done();
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': methods.join(', '),
        'access-control-allow-headers': REQUEST_HEADERS,
        'access-control-max-age': PREFLIGHT_SECONDS,
      })
      .send();
  });
};
