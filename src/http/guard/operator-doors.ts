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
  /** For the operator token: in all, and for each team that it acts for. */
  operatorLimit: RateLimit;
  operatorTeamLimit: RateLimit;
};

/** The one bucket of all requests with the operator token. */
export const OPERATOR = 'operator';

/** Routes that open for a secret of the operator's, not for a person: cron, debug, metrics, and the operator's own API. */
export const createOperatorDoors = (context: DoorContext) => {
  const { doors, limit, operatorLimit, operatorTeamLimit } = context;
  const opens: Readonly<Record<OperatorDoor, (token: string) => boolean>> = {
    cron: createSecretCheck(doors.cron),
    debug: createSecretCheck(doors.debug),
    metrics: createSecretCheck(doors.metrics),
    operator: createSecretCheck(doors.operator),
  };

  /** What one team has too many of takes nothing from the others. */
  const spendAsOperator = (teamKey: string | undefined): void => {
    if (teamKey !== undefined) spend(operatorTeamLimit, teamKey);
    spend(operatorLimit, OPERATOR);
  };

  /** Whether a door isn't set up and hides. */
  const isHidden = (access: Access): boolean =>
    typeof access === 'object' && access.whenUnset === 'hide' && doors[access.door].length === 0;

  return {
    isHidden,
    spendAsOperator,
    /** The operator acts through the API only: its pages are for people. */
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
