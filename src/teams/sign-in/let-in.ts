import type { FastifyReply, FastifyRequest } from 'fastify';
import { clearCookie, cookieOf, leadOn, setCookie } from '../../http/index.ts';
import { formatCredential } from '../records/credential.ts';
import type { BegunSession } from '../sessions/begin-session.ts';
import { toLocalPath } from './local-path.ts';

const RETURN_SECONDS = 3_600;

export type Door = { sessionCookie: string; secure: boolean };

/** On https only this host can set it, so that no other host in the domain can plant one. */
export const cookieName = ({ secure }: Pick<Door, 'secure'>, name: string): string =>
  secure ? `__Host-patchbay_${name}` : `patchbay_${name}`;

/** Until someone is signed in, the browser remembers where they wanted to go. */
export const rememberWanted = (reply: FastifyReply, door: Door, path: string): FastifyReply =>
  setCookie(reply, cookieName(door, 'return'), path, { secure: door.secure, maxAgeSeconds: RETURN_SECONDS });

/** Hands the browser its session. */
export const giveSession = (
  reply: FastifyReply,
  { sessionCookie, secure }: Door,
  { session, lifetimeMs }: BegunSession,
): FastifyReply =>
  setCookie(reply, sessionCookie, formatCredential(session), { secure, maxAgeSeconds: Math.ceil(lifetimeMs / 1_000) });

/** Sends the browser to where the person wanted to go. */
export const leadToWanted = (request: FastifyRequest, reply: FastifyReply, door: Door): FastifyReply => {
  const wanted = cookieName(door, 'return');
  clearCookie(reply, wanted, door);
  return leadOn(reply, toLocalPath(cookieOf(request, wanted)) ?? '/');
};
