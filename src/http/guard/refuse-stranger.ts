import type { FastifyRequest } from 'fastify';
import type { RateLimit } from '../../platform/index.ts';
import { type Access, describeWanted } from '../contract/access.ts';
import { connectSessionEnded, noBearer, rateLimited, unauthorized } from '../errors.ts';
import { strangerKey } from './stranger-key.ts';

export type StrangerLimits = {
  /** For strangers and most of the operator's doors, per address. */
  limit: RateLimit;
  /** For invalid credentials, per address. */
  failures: RateLimit;
};

/** How the token of a connect session begins. */
const CONNECT_SESSION = 'pbs_';

/** GitHub's own libraries, among others, call the scheme `token`. */
const OF_CALLER = /^(?:Bearer|token) +(\S+) *$/i;
const OF_DOOR = /^Bearer +(\S+) *$/i;

/** Null without the header, empty if it isn't a bearer token. */
export const readBearer = ({ headers: { authorization }, route }: FastifyRequest): string | null => {
  if (authorization === undefined) return null;
  const form = typeof route.access === 'object' ? OF_DOOR : OF_CALLER;
  return form.exec(authorization)?.[1] ?? '';
};

/** Takes one request from a rate. Throws if there is none left. */
export const spend = (from: RateLimit, key: string): void => {
  const waitSeconds = from.take(key);
  if (waitSeconds > 0) throw rateLimited(waitSeconds);
};

/** `presented`: there was a credential, but an invalid one. */
export const refuseStranger = (
  { limit, failures }: StrangerLimits,
  request: FastifyRequest,
  access: Access,
  presented: boolean,
): never => {
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
