import type { FastifyReply, FastifyRequest } from 'fastify';
import { clearCookie, cookieOf, setCookie } from '../../http/index.ts';
import { digestOf, randomSecret } from '../../platform/index.ts';
import { STATE_LIFETIME_MS } from './connect-state.ts';

const SECRET = /^[\w-]{43}$/;

/**
 * Binds connects to the browser that started them. Only the browser has the cookie's value, and each sealed state
 * contains its digest. All connects of a browser share the cookie, so that several tabs work at the same time.
 */
export const createBindingCookie = (url: string) => {
  const secure = url.startsWith('https:');
  const name = secure ? '__Host-patchbay_connect' : 'patchbay_connect';
  const options = { secure, maxAgeSeconds: STATE_LIFETIME_MS / 1_000 };

  const read = (request: FastifyRequest): string | null => {
    const value = cookieOf(request, name) ?? '';
    return SECRET.test(value) ? value : null;
  };

  return {
    /** Returns the digest of the browser's cookie. */
    digestOn(request: FastifyRequest): string | null {
      const secret = read(request);
      return secret === null ? null : digestOf(secret);
    },
    /** Sets the cookie, or extends the existing one. Returns its digest. */
    setOn(request: FastifyRequest, reply: FastifyReply): string {
      const secret = read(request) ?? randomSecret();
      setCookie(reply, name, secret, options);
      return digestOf(secret);
    },
    /** Clears the cookie, so that the next person at this browser can't continue a connect. */
    clearOn(request: FastifyRequest, reply: FastifyReply): void {
      if (read(request) !== null) clearCookie(reply, name, { secure });
    },
  };
};
