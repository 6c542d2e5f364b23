import type { FastifyRequest } from 'fastify';
import type { Customer } from '../contract/caller.ts';
import { customerTeamMissing } from '../errors.ts';

const TEAM = 'patchbay-team';
const USER = 'patchbay-user';

/** Whether the request says whom the operator acts for. */
export const namesCustomer = ({ headers }: FastifyRequest): boolean =>
  headers[TEAM] !== undefined || headers[USER] !== undefined;

const readKey = (value: string | string[] | undefined): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

export const readCustomer = ({ headers }: FastifyRequest): Customer => {
  const team = readKey(headers[TEAM]);
  if (team === null) throw customerTeamMissing();
  return { team, user: readKey(headers[USER]) };
};
