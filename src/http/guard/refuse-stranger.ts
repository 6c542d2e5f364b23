import type { FastifyRequest } from 'fastify';
import type { RateLimit, Refusal } from '../../platform/index.ts';
import { type Access, describeWanted } from '../contract/access.ts';
import { connectSessionEnded, noBearer, rateLimited, unauthorized, withResource } from '../errors.ts';
import { strangerKey } from './stranger-key.ts';

export type StrangerLimits = {
  /** The rate limit per IP address, for strangers and most of the operator's doors. */
  limit: RateLimit;
  /** The rate limit per IP address, for invalid credentials. */
  failures: RateLimit;
};

/** How the token of a connect session begins. */
const CONNECT_SESSION = 'pbs_';

/** Accepts the scheme `token`, too, which GitHub's own libraries, among others, send. */
const OF_CALLER = /^(?:Bearer|token) +(\S+) *$/i;
const OF_DOOR = /^Bearer +(\S+) *$/i;

/** Reads the bearer token. Null without the header, empty if the header contains no bearer token. */
export const readBearer = ({ headers: { authorization }, route }: FastifyRequest): string | null => {
  if (authorization === undefined) return null;
  const form = typeof route.access === 'object' ? OF_DOOR : OF_CALLER;
  return form.exec(authorization)?.[1] ?? '';
};

/** Takes one request from a rate limit. Throws if none is left. */
export const spend = (from: RateLimit, key: string): void => {
  const waitSeconds = from.take(key);
  if (waitSeconds > 0) throw rateLimited(waitSeconds);
};

/** Says where a client of this route finds out how to get a credential (RFC 9728), if it can. */
export const challenge = ({ route: { resource } }: FastifyRequest, refusal: Refusal): Refusal =>
  resource === undefined ? refusal : withResource(refusal, resource);

/** Refuses a request without a valid credential. `presented` means that it had an invalid one. */
export const refuseStranger = (
  { limit, failures }: StrangerLimits,
  request: FastifyRequest,
  access: Access,
  presented: boolean,
): never => {
  spend(presented ? failures : limit, strangerKey(request.ip));
  const bearer = readBearer(request);
  if (bearer === '') throw challenge(request, noBearer(describeWanted(access)));
  // Doors don't look up connect sessions, so they can't know whether one has ended.
  if (typeof access === 'string' && bearer?.startsWith(CONNECT_SESSION))
    throw connectSessionEnded(
      request.route.connectSession ? 'a connect session or an access token' : describeWanted(access),
    );
  throw challenge(request, unauthorized(describeWanted(access), presented ? 'invalid_token' : undefined));
};
