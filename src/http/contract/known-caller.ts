import type { FastifyRequest } from 'fastify';
import type { Caller } from './caller.ts';

/** The caller of a route that requires one. */
export const callerOf = (request: FastifyRequest): Caller => {
  if (!request.caller) throw new Error('This route was reached without a caller. Check the access that it declares.');
  return request.caller;
};
