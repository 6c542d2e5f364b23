import type { FastifyRequest } from 'fastify';
import type { Role } from './access.ts';

/**
 * Who is calling, as far as any room needs to know. The team comes from the credential, never from the request, unless
 * the credential is the operator's.
 */
export type Caller = {
  userId: string;
  teamId: string;
  role: Role;
  via: 'token' | 'jwt' | 'session' | 'admin_token' | 'operator' | 'connect_session';
  /** Sessions only: what state-changing requests must carry. */
  csrfToken?: string;
  /** Sessions only: which one it is. */
  sessionId?: string;
  /** Access tokens only: which one it is. */
  tokenId?: string;
  /** Connect sessions only: the providers that it works for. Without a list, all of them. */
  providers?: readonly string[];
  /** Connect sessions only: where its flows return unless they say otherwise. */
  returnTo?: string;
};

export type Resolved = Caller | null;

/** Whom the operator acts for, by the keys of the operator's own product. Without a user, the operator itself acts. */
export type Customer = { team: string; user: string | null };

/** Implemented by the room that knows the credentials. It returns synchronously what it has just looked up. */
export type CallerSource = {
  fromBearer(token: string): Resolved | Promise<Resolved>;
  fromSession(cookie: string): Resolved | Promise<Resolved>;
  /** The operator as an admin of a customer's team. */
  fromOperator(customer: Customer): Resolved | Promise<Resolved>;
};

/** The caller of a route that requires one. */
export const callerOf = (request: FastifyRequest): Caller => {
  if (!request.caller) throw new Error('This route was reached without a caller. Check the access that it declares.');
  return request.caller;
};
