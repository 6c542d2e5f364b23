import type { FastifyRequest } from 'fastify';
import { type Caller, callerOf } from '../../http/index.ts';
import { personNeeded } from '../errors.ts';

export type SignedIn = Caller & { csrfToken: string };

/** Only a person in a browser can let an agent in, and no token, whatever it can do. */
export const personOf = (request: FastifyRequest): SignedIn => {
  const { csrfToken, ...caller } = callerOf(request);
  if (caller.via !== 'session' || csrfToken === undefined) throw personNeeded();
  return { ...caller, csrfToken };
};
