import type { FastifyReply, FastifyRequest } from 'fastify';
import { type EndTurn, equalSecrets, type Refusal, workFor } from '../../platform/index.ts';
import type { Access } from '../contract/access.ts';
import type { Caller } from '../contract/caller.ts';
import { customerKeyOf, whoseWork } from '../contract/whose-work.ts';
import { csrfMissing, rateLimited } from '../errors.ts';
import { type AdmissionContext, createAdmission } from './admit-caller.ts';
import { createOperatorDoors, type DoorContext, OPERATOR } from './operator-doors.ts';
import { spend } from './refuse-stranger.ts';
import { createRequestTurns } from './request-turns.ts';
import { strangerKey } from './stranger-key.ts';

export type AccessContext = AdmissionContext & DoorContext;

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends the request's turn, so that its team may begin another request. Null if no turn has begun. */
    endTurn: EndTurn | null;
    /** Throws if the caller has lost their rights. For a route that waits for its body or for a provider. */
    checkCaller: (() => Promise<void>) | null;
    /** When the lookup of the caller began. */
    lookedUpAt: number;
  }
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);
const never = (): boolean => false;
/** If a request has waited for longer than this, the caller's rights are checked again. */
const STALE_MS = 10;
/** When to try again if too many requests of a team are waiting. */
const SOON_SECONDS = 1;

/** Checks the CSRF token of a session, in a header or in the form. Requests that change nothing need none. */
const checkCsrf = ({ caller, method, headers, body }: FastifyRequest): Refusal | undefined => {
  if (caller?.csrfToken === undefined || SAFE_METHODS.has(method)) return undefined;
  const form: { _csrf?: unknown } = typeof body === 'object' && body !== null ? body : {};
  const carried = headers['x-csrf-token'] ?? form._csrf;
  if (typeof carried !== 'string' || !equalSecrets(carried, caller.csrfToken)) return csrfMissing();
  delete form._csrf;
  return undefined;
};

/** Whether the request waited for its body or in a queue. */
const hasWaited = ({ headers, lookedUpAt }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined ||
  Number(headers['content-length'] ?? 0) > 0 ||
  performance.now() - lookedUpAt > STALE_MS;

/** Whose queue the request waits in. In the operator's own routes, each customer has a separate queue. */
const whoTakesTurn = (request: FastifyRequest): Pick<Caller, 'teamId' | 'userId'> | null => {
  if (request.caller || customerKeyOf(request) === undefined) return request.caller;
  return { teamId: whoseWork(request), userId: OPERATOR };
};

/** Decides who may use a route, how fast, and how many of their requests are in progress at once. */
export const createAccessGuard = (context: AccessContext) => {
  const { callerLimit, limit } = context;
  const doors = createOperatorDoors(context);
  const { admit, checkAgain } = createAdmission(context, doors);
  const takeTurn = createRequestTurns({ ...callerLimit.turns, refuse: () => rateLimited(SOON_SECONDS) });

  const guard = (request: FastifyRequest, access: Access): void | Promise<void> => {
    if (access === 'signed') return undefined;
    if (access === 'anyone') return spend(limit, strangerKey(request.ip));
    return typeof access === 'object' ? doors.enter(request, access) : admit(request, access);
  };

  /** Starts the caller's work when its turn comes. If the caller leaves, a request that only reads is stopped. */
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
      request.checkCaller = () => checkAgain(request);
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

  return {
    isHidden: doors.isHidden,
    /** Returns a 429 if the sender requests too many paths that have no route. */
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
    /** Runs after the body is read, because a form carries its CSRF token in the body. */
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
