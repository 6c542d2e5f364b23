import type { FastifyReply } from 'fastify';

/** The version of the API. Within a version, the API is only ever extended. */
export const INTERFACE_VERSION = '2026-11-17';

const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** The policy of our pages: nothing inline, nothing from elsewhere, no frames. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export const createResponseHeaders = ({ https }: { https: boolean }) => {
  const everywhere = {
    'patchbay-version': INTERFACE_VERSION,
    'x-content-type-options': 'nosniff',
    ...(https ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
  const api = {
    ...everywhere,
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'content-security-policy': API_POLICY,
  };
  const page = {
    ...everywhere,
    'cache-control': 'no-store',
    'content-security-policy': PAGE_POLICY,
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    // With "no-referrer" a form's Origin is "null", and browsers that send no Sec-Fetch-Site couldn't sign in.
    'referrer-policy': 'same-origin',
  };
  return {
    api,
    page,
    setOn(reply: FastifyReply, requestId: string, isPage: boolean): void {
      reply.headers(isPage ? page : api).header('x-request-id', requestId);
    },
  };
};

export type ResponseHeaders = ReturnType<typeof createResponseHeaders>;
