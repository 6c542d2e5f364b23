import type { FastifyRequest } from 'fastify';
import { createSecretCheck, type RateLimit, Refusal, type Secret } from '../../platform/index.ts';
import type { Access, OperatorDoor } from '../contract/access.ts';
import { customerKeyOf } from '../contract/whose-work.ts';
import { customerHeaderRefused, notFound } from '../errors.ts';
import { namesCustomer } from './customer-headers.ts';
import { readBearer, refuseStranger, type StrangerLimits, spend } from './refuse-stranger.ts';
import { strangerKey } from './stranger-key.ts';

export type DoorContext = StrangerLimits & {
  doors: Readonly<Record<OperatorDoor, readonly Secret[]>>;
  /** Rate limits for the operator token: in total, and for each team that it acts for. */
  operatorLimit: RateLimit;
  operatorTeamLimit: RateLimit;
};

/** The key of the rate limit for all requests with the operator token. */
export const OPERATOR = 'operator';

/**
 * Guards routes that require a secret of the operator instead of a caller: cron, debug, metrics, and the operator's own
 * API.
 */
export const createOperatorDoors = (context: DoorContext) => {
  const { doors, limit, operatorLimit, operatorTeamLimit } = context;
  const opens: Readonly<Record<OperatorDoor, (token: string) => boolean>> = {
    cron: createSecretCheck(doors.cron),
    debug: createSecretCheck(doors.debug),
    metrics: createSecretCheck(doors.metrics),
    operator: createSecretCheck(doors.operator),
  };

  /** Counts a request for its team first, so that a team over its limit uses up nothing of the operator's total. */
  const spendAsOperator = (teamKey: string | undefined): void => {
    if (teamKey !== undefined) spend(operatorTeamLimit, teamKey);
    spend(operatorLimit, OPERATOR);
  };

  /** Whether a route is hidden because its door has no secret. */
  const isHidden = (access: Access): boolean =>
    typeof access === 'object' && access.whenUnset === 'hide' && doors[access.door].length === 0;

  return {
    isHidden,
    spendAsOperator,
    /** Whether this is the operator token on an API route. Pages don't accept it, because they are for people. */
    isOperator: ({ route }: FastifyRequest, bearer: string | null): boolean =>
      bearer !== null && (route.url?.startsWith('/api/') ?? false) && opens.operator(bearer),
    enter(request: FastifyRequest, access: Extract<Access, object>): void {
      if (doors[access.door].length === 0) {
        if (isHidden(access)) throw notFound();
        throw new Refusal(503, `${access.door}.not_configured`, "This endpoint is disabled. Its secret isn't set.", {
          headers: { 'retry-after': '3600' },
        });
      }
      const token = readBearer(request);
      if (token === null || !opens[access.door](token)) refuseStranger(context, request, access, token !== null);
      if (access.door === 'operator') spendAsOperator(customerKeyOf(request));
      else if (namesCustomer(request)) throw customerHeaderRefused();
      else spend(limit, strangerKey(request.ip));
    },
  };
};

export type OperatorDoors = ReturnType<typeof createOperatorDoors>;
