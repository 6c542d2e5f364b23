import type { FastifyRequest } from 'fastify';

/** One cookie of a request. */
export const cookieOf = ({ server, headers }: FastifyRequest, name: string): string | undefined =>
  headers.cookie === undefined ? undefined : server.parseCookie(headers.cookie)[name];
