import type { FastifyReply, FastifyRequest } from 'fastify';
import { clearCookie, cookieOf, setCookie } from '../http/index.ts';
import { SESSION_LIFETIME_MS } from './begin-session.ts';
import { type Credential, formatCredential } from './credential.ts';
import { toLocalPath } from './local-path.ts';

const RETURN_COOKIE = 'patchbay_return';
const RETURN_SECONDS = 3_600;

export type Door = { sessionCookie: string; secure: boolean };

/** Until somebody is signed in, the browser keeps where they wanted to go. */
export const rememberWanted = (reply: FastifyReply, { secure }: Door, path: string): FastifyReply =>
  setCookie(reply, RETURN_COOKIE, path, { secure, maxAgeSeconds: RETURN_SECONDS });

/** Hands the browser its session, and leads it to where the person wanted to go. */
export const letIn = (
  request: FastifyRequest,
  reply: FastifyReply,
  { sessionCookie, secure }: Door,
  session: Credential,
): FastifyReply => {
  setCookie(reply, sessionCookie, formatCredential(session), { secure, maxAgeSeconds: SESSION_LIFETIME_MS / 1_000 });
  clearCookie(reply, RETURN_COOKIE, { secure });
  return reply.redirect(toLocalPath(cookieOf(request, RETURN_COOKIE)) ?? '/', 303);
};
