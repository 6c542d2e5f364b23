import type { FastifyReply, FastifyRequest } from 'fastify';
import { clearCookie, cookieOf, setCookie } from '../../http/index.ts';

/** What a browser got for its ticket. It works on the hosted page only. */
export const createPageCookie = (url: string) => {
  const secure = url.startsWith('https:');
  const name = secure ? '__Host-patchbay_page' : 'patchbay_page';
  return {
    readFrom: (request: FastifyRequest): string => cookieOf(request, name) ?? '',
    setOn: (reply: FastifyReply, value: string, lifetimeMs: number): FastifyReply =>
      setCookie(reply, name, value, { secure, maxAgeSeconds: Math.ceil(lifetimeMs / 1_000) }),
    clearOn: (reply: FastifyReply): FastifyReply => clearCookie(reply, name, { secure }),
  };
};
