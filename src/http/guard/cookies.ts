import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/* Uses the library `cookie` directly. Its Fastify plugin hooks into every response, and most set no cookie. */

export const cookieOf = ({ headers }: FastifyRequest, name: string): string | undefined =>
  headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[name];

type CookieOptions = { secure: boolean; maxAgeSeconds: number };

/** The options of all our cookies: for all paths, out of reach of scripts, not sent with other sites' forms. */
const OURS = { path: '/', httpOnly: true, sameSite: 'lax' } as const;

export const setCookie = (
  reply: FastifyReply,
  name: string,
  value: string,
  { secure, maxAgeSeconds }: CookieOptions,
): FastifyReply =>
  reply.header('set-cookie', stringifySetCookie({ ...OURS, name, value, secure, maxAge: maxAgeSeconds }));

export const clearCookie = (
  reply: FastifyReply,
  name: string,
  { secure }: Pick<CookieOptions, 'secure'>,
): FastifyReply =>
  reply.header('set-cookie', stringifySetCookie({ ...OURS, name, value: '', secure, expires: new Date(0) }));
