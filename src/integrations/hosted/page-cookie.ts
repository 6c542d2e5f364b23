import type { FastifyReply, FastifyRequest } from 'fastify';
import { clearCookie, cookieOf, setCookie } from '../../http/index.ts';
import { digestOf, equalSecrets } from '../../platform/index.ts';

/** Separates the cookie's two parts. No credential contains a dot. */
const SEPARATOR = '.';

/**
 * The cookie that a browser gets in exchange for its ticket. It works only on the hosted page. It also contains the
 * ticket's digest, which gives no access, but lets the same link open the page again in this browser.
 */
export const createPageCookie = (url: string) => {
  const secure = url.startsWith('https:');
  const name = secure ? '__Host-patchbay_page' : 'patchbay_page';
  const partsOf = (request: FastifyRequest): string[] => (cookieOf(request, name) ?? '').split(SEPARATOR);
  return {
    readFrom: (request: FastifyRequest): string => partsOf(request)[0] ?? '',
    /** Whether this browser got its cookie in exchange for this ticket. */
    isFor: (request: FastifyRequest, ticket: string): boolean =>
      equalSecrets(partsOf(request)[1] ?? '', digestOf(ticket)),
    setOn: (reply: FastifyReply, ticket: string, redeemed: { cookie: string; lifetimeMs: number }): FastifyReply =>
      setCookie(reply, name, `${redeemed.cookie}${SEPARATOR}${digestOf(ticket)}`, {
        ...{ secure, maxAgeSeconds: Math.ceil(redeemed.lifetimeMs / 1_000) },
      }),
    clearOn: (reply: FastifyReply): FastifyReply => clearCookie(reply, name, { secure }),
  };
};
