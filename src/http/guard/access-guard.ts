import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  createSecretCheck,
  type EndTurn,
  equalSecrets,
  type RateLimit,
  Refusal,
  type Secret,
  workFor,
} from '../../platform/index.ts';
import { type Access, describeWanted, type OperatorDoor } from '../contract/access.ts';
import type { Caller, CallerSource, Resolved } from '../contract/caller.ts';
import { customerKeyOf, whoseWork } from '../contract/whose-work.ts';
import {
  adminOnly,
  connectSessionEnded,
  connectSessionNarrow,
  connectSessionProvider,
  csrfMissing,
  customerHeaderRefused,
  customerTeamMissing,
  noBearer,
  notFound,
  rateLimited,
  unauthorized,
} from '../errors.ts';
import type { CallerLimit } from './caller-limit.ts';
import { cookieOf } from './cookies.ts';
import { namesCustomer, readCustomer } from './customer-headers.ts';
import { createRequestTurns } from './request-turns.ts';
import { strangerKey } from './stranger-key.ts';

export type AccessContext = {
  callers: CallerSource;
  doors: Readonly<Record<OperatorDoor, readonly Secret[]>>;
  sessionCookie: string;
  /** Per caller and team. */
  callerLimit: CallerLimit;
  /** For strangers and most of the operator's doors, per address. */
  limit: RateLimit;
  /** For invalid credentials, per address. */
  failures: RateLimit;
  /** For the operator token: in all, and for each team that it acts for. */
  operatorLimit: RateLimit;
  operatorTeamLimit: RateLimit;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends its turn, if it has begun, so that its team may begin another request. */
    endTurn: EndTurn | null;
    /** For a route that reads its own body: whether the caller still has their rights. Throws if not. */
    checkCaller: (() => Promise<void>) | null;
    /** When its caller began to be looked up. */
    lookedUpAt: number;
  }
}

/** The one bucket of all requests with the operator token. */
const OPERATOR = 'operator';
/** How the token of a connect session begins. */
const CONNECT_SESSION = 'pbs_';
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);
const never = (): boolean => false;
/** After a longer wait, the caller may have lost their rights. */
const STALE_MS = 10;
/** When to try again if too many requests of a team are waiting. */
const SOON_SECONDS = 1;

/** GitHub's own libraries, among others, call the scheme `token`. */
const OF_CALLER = /^(?:Bearer|token) +(\S+) *$/i;
const OF_DOOR = /^Bearer +(\S+) *$/i;

/** Null without the header, empty if it isn't a bearer token. */
const readBearer = ({ headers: { authorization }, route }: FastifyRequest): string | null => {
  if (authorization === undefined) return null;
  const form = typeof route.access === 'object' ? OF_DOOR : OF_CALLER;
  return form.exec(authorization)?.[1] ?? '';
};

/** In a session, a request that changes something carries a CSRF token, in a header or in the form. */
const checkCsrf = ({ caller, method, headers, body }: FastifyRequest): Refusal | undefined => {
  if (caller?.csrfToken === undefined || SAFE_METHODS.has(method)) return undefined;
  const form: { _csrf?: unknown } = typeof body === 'object' && body !== null ? body : {};
  const carried = headers['x-csrf-token'] ?? form._csrf;
  if (typeof carried !== 'string' || !equalSecrets(carried, caller.csrfToken)) return csrfMissing();
  delete form._csrf;
  return undefined;
};

/** A connect session is in the hands of a customer's user, so it works only where a route says so. */
const checkConnectSession = ({ route, params }: FastifyRequest, { providers }: Caller): void => {
  if (!route.connectSession) throw connectSessionNarrow();
  const { provider } = (params ?? {}) as { provider?: string };
  if (provider !== undefined && providers && !providers.includes(provider)) throw connectSessionProvider();
};

/** Whether the request waited for its body or for its turn. */
const hasWaited = ({ headers, lookedUpAt }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined ||
  Number(headers['content-length'] ?? 0) > 0 ||
  performance.now() - lookedUpAt > STALE_MS;

/** Who takes a turn. In its own routes, the operator is one caller for each customer. */
const whoTakesTurn = (request: FastifyRequest): Pick<Caller, 'teamId' | 'userId'> | null => {
  if (request.caller || customerKeyOf(request) === undefined) return request.caller;
  return { teamId: whoseWork(request), userId: OPERATOR };
};

const checkRights = (request: FastifyRequest, caller: Caller): void => {
  if (caller.via === 'connect_session') checkConnectSession(request, caller);
  if (request.route.access === 'admin' && caller.role !== 'admin') throw adminOnly();
  if (request.route.bearerOnly && caller.via === 'session') throw unauthorized('a bearer token');
};

export const createAccessGuard = (context: AccessContext) => {
  const { callers, doors, sessionCookie, callerLimit, limit, failures, operatorLimit, operatorTeamLimit } = context;
  const takeTurn = createRequestTurns({ ...callerLimit.turns, refuse: () => rateLimited(SOON_SECONDS) });
  const opens: Readonly<Record<OperatorDoor, (token: string) => boolean>> = {
    cron: createSecretCheck(doors.cron),
    debug: createSecretCheck(doors.debug),
    metrics: createSecretCheck(doors.metrics),
    operator: createSecretCheck(doors.operator),
  };
  const spend = (from: RateLimit, key: string): void => {
    const waitSeconds = from.take(key);
    if (waitSeconds > 0) throw rateLimited(waitSeconds);
  };

  /** What one team has too many of takes nothing from the others. */
  const spendAsOperator = (teamKey: string | undefined): void => {
    if (teamKey !== undefined) spend(operatorTeamLimit, teamKey);
    spend(operatorLimit, OPERATOR);
  };

  const refuseStranger = (request: FastifyRequest, access: Access, presented: boolean): never => {
    spend(presented ? failures : limit, strangerKey(request.ip));
    const bearer = readBearer(request);
    if (bearer === '') throw noBearer(describeWanted(access));
    // A door doesn't look sessions up, so it can't know whether one has ended.
    if (typeof access === 'string' && bearer?.startsWith(CONNECT_SESSION))
      throw connectSessionEnded(
        request.route.connectSession ? 'a connect session or an access token' : describeWanted(access),
      );
    throw unauthorized(describeWanted(access), presented ? 'invalid_token' : undefined);
  };

  /** A door that isn't set up and hides. */
  const isHidden = (access: Access): boolean =>
    typeof access === 'object' && access.whenUnset === 'hide' && doors[access.door].length === 0;

  /** A caller whose credential couldn't be looked up is limited, too. */
  const countFailure =
    (request: FastifyRequest) =>
    (error: unknown): never => {
      spend(failures, strangerKey(request.ip));
      throw error;
    };

  const enterDoor = (request: FastifyRequest, access: Extract<Access, object>): void => {
    if (doors[access.door].length === 0) {
      if (isHidden(access)) throw notFound();
      throw new Refusal(503, `${access.door}.not_configured`, "This endpoint is disabled. Its secret isn't set.", {
        headers: { 'retry-after': '3600' },
      });
    }
    const token = readBearer(request);
    if (token === null || !opens[access.door](token)) refuseStranger(request, access, token !== null);
    if (access.door === 'operator') spendAsOperator(customerKeyOf(request));
    else if (namesCustomer(request)) throw customerHeaderRefused();
    else spend(limit, strangerKey(request.ip));
  };

  const admit = (
    request: FastifyRequest,
    access: Access,
    caller: Resolved,
    presented: boolean,
  ): void | Promise<void> => {
    if (caller === null) {
      if (access !== 'anyone_or_caller') refuseStranger(request, access, presented);
      return spend(presented ? failures : limit, strangerKey(request.ip));
    }
    // The operator's requests are counted before its customer is looked up.
    const waitMs = caller.via === 'operator' ? 0 : callerLimit.take(caller);
    checkRights(request, caller);
    request.caller = caller;
    return waitMs > 0 ? sleep(waitMs) : undefined;
  };

  /** The operator acts through the API only: its pages are for people. */
  const isOperator = ({ route }: FastifyRequest, bearer: string | null): boolean =>
    bearer !== null && (route.url?.startsWith('/api/') ?? false) && opens.operator(bearer);

  const admitOperator = (request: FastifyRequest, access: Access): void | Promise<void> => {
    const customer = readCustomer(request);
    spendAsOperator(customer.team);
    const resolved = callers.fromOperator(customer);
    if (resolved instanceof Promise) return resolved.then((caller) => admit(request, access, caller, true));
    return admit(request, access, resolved, true);
  };

  /** Anyone but the operator. */
  const admitOther = (
    request: FastifyRequest,
    access: Access,
    caller: Resolved,
    bearer: string | null,
  ): void | Promise<void> => {
    if (caller !== null && namesCustomer(request)) throw customerHeaderRefused();
    if (caller === null && isOperator(request, bearer)) throw customerTeamMissing();
    return admit(request, access, caller, true);
  };

  const lookUpAgain = (request: FastifyRequest): Resolved | Promise<Resolved> => {
    const bearer = readBearer(request);
    if (bearer === null) return callers.fromSession(cookieOf(request, sessionCookie) ?? '');
    const isOperators = namesCustomer(request) && isOperator(request, bearer);
    return isOperators ? callers.fromOperator(readCustomer(request)) : callers.fromBearer(bearer);
  };

  /** Between the headers and this moment, the caller may have been removed, demoted or signed out. */
  const checkAgain = async (request: FastifyRequest): Promise<void> => {
    const caller = await lookUpAgain(request);
    if (!caller) throw unauthorized(describeWanted(request.route.access ?? 'member'), 'invalid_token');
    checkRights(request, caller);
    request.caller = caller;
  };

  /** Begins the caller's work when its turn comes. What only reads stops if the caller leaves. */
  const beginInTurn = (
    request: FastifyRequest,
    { raw }: FastifyReply,
    who: Pick<Caller, 'teamId' | 'userId'>,
    done: (error?: Error) => void,
  ): void => {
    const isGone = (): boolean => request.raw.socket.destroyed || raw.writableEnded;
    const begin = (end: EndTurn): void => {
      const endOnce = (): void => {
        if (request.endTurn) end();
        request.endTurn = null;
      };
      request.endTurn = endOnce;
      if (request.route.passesBody) request.checkCaller = () => checkAgain(request);
      const isAbandoned = SAFE_METHODS.has(request.method) ? isGone : never;
      workFor({ owner: whoseWork(request), isAbandoned, stepAside: endOnce }, () => {
        if (request.caller && hasWaited(request)) checkAgain(request).then(() => done(), done);
        else done();
      });
    };
    const turn = takeTurn(who, isGone);
    if (turn instanceof Promise) turn.then(begin, done);
    else begin(turn);
  };

  /** Synchronous if the caller is cached, so that most requests don't wait. */
  const guard = (request: FastifyRequest, access: Access): void | Promise<void> => {
    if (access === 'signed') return undefined;
    if (access === 'anyone') return spend(limit, strangerKey(request.ip));
    if (typeof access === 'object') return enterDoor(request, access);
    request.lookedUpAt = performance.now();
    const bearer = readBearer(request);
    const cookie = bearer === null ? cookieOf(request, sessionCookie) : undefined;
    if (bearer === null && cookie === undefined) return admit(request, access, null, false);
    if (namesCustomer(request) && isOperator(request, bearer)) return admitOperator(request, access);
    const resolved = bearer === null ? callers.fromSession(cookie ?? '') : callers.fromBearer(bearer);
    if (resolved instanceof Promise)
      return resolved.then((caller) => admitOther(request, access, caller, bearer), countFailure(request));
    return admitOther(request, access, resolved, bearer);
  };

  return {
    isHidden,
    /** For anything that declares no access, such as an unknown path: too many requests get a 429 instead. */
    refuseAsking(request: FastifyRequest): Refusal | null {
      const waitSeconds = limit.take(strangerKey(request.ip));
      return waitSeconds > 0 ? rateLimited(waitSeconds) : null;
    },
    onRequest(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
      try {
        const waiting = guard(request, request.route.access ?? 'anyone');
        if (waiting) waiting.then(() => done(), done);
        else done();
      } catch (error) {
        done(error as Error);
      }
    },
    /** Runs after the body is read, because a form carries its token there. */
    preValidation(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
      const { route } = request;
      const who = whoTakesTurn(request);
      const refusal = checkCsrf(request);
      if (refusal || route.access === 'signed') done(refusal);
      else if (who) beginInTurn(request, reply, who, done);
      else workFor(whoseWork(request), done);
    },
  };
};
