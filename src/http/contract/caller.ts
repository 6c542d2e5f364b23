import type { FastifyRequest } from 'fastify';
import type { Role } from './access.ts';
import type { Restriction } from './restriction.ts';

/**
 * Who is calling. The team comes from the credential, never from the request, unless the credential is the operator's.
 */
export type Caller = {
  userId: string;
  teamId: string;
  role: Role;
  via: 'token' | 'jwt' | 'session' | 'admin_token' | 'operator' | 'connect_session';
  /** Sessions only: the token that state-changing requests must carry. */
  csrfToken?: string;
  /** Sessions only: the session's ID. */
  sessionId?: string;
  /** Access tokens only: the token's ID. */
  tokenId?: string;
  /** Access tokens only: the token's name. */
  tokenName?: string;
  /** Access tokens only: whether a person granted it to a client through OAuth. Such a token works at `/mcp` alone. */
  isGranted?: boolean;
  /** Restricted access tokens only: what the token can do. */
  restriction?: Restriction;
  /** Connect sessions only: the connect session's ID. */
  connectSessionId?: string;
  /** Connect sessions only: the providers that the session may connect. Undefined for all providers. */
  providers?: readonly string[];
  /** Connect sessions and restricted tokens only: the URL that their flows return to by default. */
  returnTo?: string;
};

export type Resolved = Caller | null;

/**
 * The customer that the operator acts for, as the operator's own product names them. Without a user, the operator
 * itself acts.
 */
export type Customer = { team: string; user: string | null };

/** Finds callers by their credentials. Implemented by `teams`. Cached callers are returned synchronously. */
export type CallerSource = {
  fromBearer(token: string): Resolved | Promise<Resolved>;
  fromSession(cookie: string): Resolved | Promise<Resolved>;
  /** Returns the operator as an admin of a customer's team. */
  fromOperator(customer: Customer): Resolved | Promise<Resolved>;
};

/** Returns the caller of a route that requires one. */
export const callerOf = (request: FastifyRequest): Caller => {
  if (!request.caller) throw new Error('This route was reached without a caller. Check the access that it declares.');
  return request.caller;
};
