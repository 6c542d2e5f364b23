import type { FastifyRequest } from 'fastify';
import type { Customer } from '../contract/caller.ts';
import { customerTeamMissing } from '../errors.ts';

const TEAM = 'patchbay-team';
const USER = 'patchbay-user';

/** Whether the request names the customer that the operator acts for. */
export const namesCustomer = ({ headers }: FastifyRequest): boolean =>
  headers[TEAM] !== undefined || headers[USER] !== undefined;

export const readCustomer = ({ headers }: FastifyRequest): Customer => {
  const team = String(headers[TEAM] ?? '');
  if (team === '') throw customerTeamMissing();
  // An empty user is kept, and refused later. A product that sends "" because nobody is signed in must not act as the
  // operator.
  return { team, user: headers[USER] === undefined ? null : String(headers[USER]) };
};
