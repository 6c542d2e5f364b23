import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { type Access, describeWanted } from '../contract/access.ts';
import type { Caller, CallerSource, Resolved } from '../contract/caller.ts';
import type { Restriction, RouteRight } from '../contract/restriction.ts';
import {
  adminOnly,
  connectSessionNarrow,
  connectSessionProvider,
  customerHeaderRefused,
  customerTeamMissing,
  tokenNotAllowed,
  unauthorized,
} from '../errors.ts';
import type { CallerLimit } from './caller-limit.ts';
import { cookieOf } from './cookies.ts';
import { namesCustomer, readCustomer } from './customer-headers.ts';
import type { OperatorDoors } from './operator-doors.ts';
import { challenge, readBearer, refuseStranger, type StrangerLimits, spend } from './refuse-stranger.ts';
import { strangerKey } from './stranger-key.ts';

export type AdmissionContext = StrangerLimits & {
  callers: CallerSource;
  sessionCookie: string;
  /** The rate limit per caller and team. */
  callerLimit: CallerLimit;
};

/** Where anyone may call, such as at a provider's callback, a restricted token doesn't show who the caller is. */
const provesNobody = (access: Access, { restriction }: Caller): boolean =>
  restriction !== undefined && access === 'anyone_or_caller';

/** A token that was granted for one resource (RFC 8707) shows nobody to the others. */
const forThisRoute = (caller: Resolved, { route: { right } }: FastifyRequest): Resolved =>
  caller?.isGranted && right !== 'mcp' ? null : caller;

/** Refuses a connect session unless the route allows it, because a customer's user holds the session. */
const checkConnectSession = ({ route, params }: FastifyRequest, { providers }: Caller): void => {
  if (!route.connectSession) throw connectSessionNarrow();
  const { provider } = (params ?? {}) as { provider?: string };
  if (provider !== undefined && providers && !providers.includes(provider)) throw connectSessionProvider();
};

const hasRight = ({ can, allow, approvalMinutes }: Restriction, right: RouteRight): boolean => {
  if (right === 'mcp') return true;
  if (right === 'allow') return allow.length > 0;
  return right === 'ask' ? approvalMinutes !== null : can.includes(right);
};

/** Refuses a restricted token unless the route names a right, and the token has it. */
const checkRestriction = ({ right }: FastifyRequest['route'], restriction: Restriction): void => {
  if (right === undefined || !hasRight(restriction, right)) throw tokenNotAllowed(right ?? null);
};

/** What a token of the operator's is allowed doesn't depend on its user, who is a customer's. */
const actsAsAdmin = ({ role, restriction }: Caller, { right }: FastifyRequest['route']): boolean =>
  role === 'admin' || (right === 'allow' && restriction?.byOperator === true);

const checkRights = (request: FastifyRequest, caller: Caller): void => {
  if (caller.via === 'connect_session') checkConnectSession(request, caller);
  if (caller.restriction) checkRestriction(request.route, caller.restriction);
  if (request.route.access === 'admin' && !actsAsAdmin(caller, request.route)) throw adminOnly();
  if (request.route.bearerOnly && caller.via === 'session') throw unauthorized('a bearer token');
};

/**
 * Finds out who is calling (by session, by bearer token, or as the operator for a customer), and checks their rights.
 */
export const createAdmission = (context: AdmissionContext, doors: OperatorDoors) => {
  const { callers, sessionCookie, callerLimit, limit, failures } = context;

  /** Counts a request whose credential couldn't be looked up, so that such requests are limited, too. */
  const countFailure =
    (request: FastifyRequest) =>
    (error: unknown): never => {
      spend(failures, strangerKey(request.ip));
      throw error;
    };

  const admit = (
    request: FastifyRequest,
    access: Access,
    found: Resolved,
    presented: boolean,
  ): void | Promise<void> => {
    const caller = forThisRoute(found, request);
    if (caller === null) {
      if (access !== 'anyone_or_caller') refuseStranger(context, request, access, presented);
      return spend(presented ? failures : limit, strangerKey(request.ip));
    }
    // The operator's requests were counted before the customer was looked up.
    const waitMs = caller.via === 'operator' ? 0 : callerLimit.take(caller);
    if (provesNobody(access, caller)) return waitMs > 0 ? sleep(waitMs) : undefined;
    checkRights(request, caller);
    request.caller = caller;
    return waitMs > 0 ? sleep(waitMs) : undefined;
  };

  const admitOperator = (request: FastifyRequest, access: Access): void | Promise<void> => {
    const customer = readCustomer(request);
    doors.spendAsOperator(customer.team);
    const resolved = callers.fromOperator(customer);
    if (resolved instanceof Promise) return resolved.then((caller) => admit(request, access, caller, true));
    return admit(request, access, resolved, true);
  };

  /** Admits a caller other than the operator. */
  const admitOther = (
    request: FastifyRequest,
    access: Access,
    caller: Resolved,
    bearer: string | null,
  ): void | Promise<void> => {
    if (caller !== null && namesCustomer(request)) throw customerHeaderRefused();
    if (caller === null && doors.isOperator(request, bearer)) throw customerTeamMissing();
    return admit(request, access, caller, true);
  };

  const lookUpAgain = (request: FastifyRequest): Resolved | Promise<Resolved> => {
    const bearer = readBearer(request);
    if (bearer === null) return callers.fromSession(cookieOf(request, sessionCookie) ?? '');
    const isOperators = namesCustomer(request) && doors.isOperator(request, bearer);
    return isOperators ? callers.fromOperator(readCustomer(request)) : callers.fromBearer(bearer);
  };

  return {
    /** Admits a request, synchronously if the caller is cached, so that most requests don't wait. */
    admit(request: FastifyRequest, access: Access): void | Promise<void> {
      request.lookedUpAt = performance.now();
      const bearer = readBearer(request);
      const cookie = bearer === null ? cookieOf(request, sessionCookie) : undefined;
      if (bearer === null && cookie === undefined) return admit(request, access, null, false);
      if (namesCustomer(request) && doors.isOperator(request, bearer)) return admitOperator(request, access);
      const resolved = bearer === null ? callers.fromSession(cookie ?? '') : callers.fromBearer(bearer);
      if (resolved instanceof Promise)
        return resolved.then((caller) => admitOther(request, access, caller, bearer), countFailure(request));
      return admitOther(request, access, resolved, bearer);
    },
    /** Checks the caller again, who may have been removed, demoted, or signed out since the headers arrived. */
    async checkAgain(request: FastifyRequest): Promise<void> {
      const caller = forThisRoute(await lookUpAgain(request), request);
      if (!caller)
        throw challenge(request, unauthorized(describeWanted(request.route.access ?? 'member'), 'invalid_token'));
      checkRights(request, caller);
      request.caller = caller;
    },
  };
};
