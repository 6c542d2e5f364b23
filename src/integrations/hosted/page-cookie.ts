import type { FastifyReply, FastifyRequest } from 'fastify';
import { clearCookie, cookieOf, setCookie } from '../../http/index.ts';
import { digestOf, equalSecrets } from '../../platform/index.ts';

/** Separates the cookie's two parts. No credential contains a dot. */
const SEPARATOR = '.';

/**
 * The cookie that a browser gets for its ticket. It works on the hosted page only. It also contains the ticket's
 * digest, so that the same link opens the page again in this browser. The digest is no credential.
 */
export const createPageCookie = (url: string) => {
  const secure = url.startsWith('https:');
  const name = secure ? '__Host-patchbay_page' : 'patchbay_page';
  const partsOf = (request: FastifyRequest): string[] => (cookieOf(request, name) ?? '').split(SEPARATOR);
  return {
    readFrom: (request: FastifyRequest): string => partsOf(request)[0] ?? '',
    /** Whether this browser got the cookie for this ticket. */
    isFor: (request: FastifyRequest, ticket: string): boolean =>
      equalSecrets(partsOf(request)[1] ?? '', digestOf(ticket)),
    setOn: (reply: FastifyReply, ticket: string, redeemed: { cookie: string; lifetimeMs: number }): FastifyReply =>
      setCookie(reply, name, `${redeemed.cookie}${SEPARATOR}${digestOf(ticket)}`, {
        ...{ secure, maxAgeSeconds: Math.ceil(redeemed.lifetimeMs / 1_000) },
      }),
    clearOn: (reply: FastifyReply): FastifyReply => clearCookie(reply, name, { secure }),
  };
};
