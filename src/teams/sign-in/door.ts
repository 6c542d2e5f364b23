import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Caller,
  type CallerSource,
  clearCookie,
  cookieOf,
  leadOn,
  refuseForeignForm,
  sendPage,
  setCookie,
} from '../../http/index.ts';
import { Refusal } from '../../platform/index.ts';
import { SIGNED_IN_AS_ANOTHER } from '../errors.ts';
import { formatCredential } from '../records/credential.ts';
import type { BegunSession } from '../sessions/begin-session.ts';
import { anotherPage } from './sign-in-pages.ts';
import { toLocalPath } from './to-local-path.ts';

const RETURN_SECONDS = 3_600;

/** How browsers get in, and the cookies that they carry. */
export const createDoor = (url: string, callers: CallerSource) => {
  const secure = url.startsWith('https:');

  const createCookie = (word: string) => {
    // On https only this host can set it, so that no other host in the domain can plant one.
    const name = secure ? `__Host-patchbay_${word}` : `patchbay_${word}`;
    return {
      name,
      read: (request: FastifyRequest): string | undefined => cookieOf(request, name),
      set: (reply: FastifyReply, value: string, maxAgeSeconds: number): FastifyReply =>
        setCookie(reply, name, value, { secure, maxAgeSeconds }),
      clear: (reply: FastifyReply): FastifyReply => clearCookie(reply, name, { secure }),
    };
  };

  const session = createCookie('session');
  const wanted = createCookie('return');

  return {
    session,
    createCookie,

    /** Another site's page must not sign a visitor in as someone else. */
    refuseForeignForm: (request: FastifyRequest): void => refuseForeignForm(url, request),

    /** Signs someone in. If someone else is signed in at this browser, a page says so and offers to sign out. */
    async letIn(
      request: FastifyRequest,
      reply: FastifyReply,
      signIn: (current: Caller | null) => Promise<FastifyReply>,
    ): Promise<FastifyReply> {
      const current = await callers.fromSession(session.read(request) ?? '');
      try {
        return await signIn(current);
      } catch (error) {
        const isAnother = error instanceof Refusal && error.code === SIGNED_IN_AS_ANOTHER;
        if (!isAnother || !current?.csrfToken) throw error;
        return sendPage(reply, error.status, anotherPage(error.message, current.csrfToken));
      }
    },

    giveSession: (reply: FastifyReply, begun: BegunSession): FastifyReply =>
      session.set(reply, formatCredential(begun.session), Math.ceil(begun.lifetimeMs / 1_000)),

    /** Until someone is signed in, the browser remembers where they wanted to go. */
    rememberWanted: (reply: FastifyReply, path: string): FastifyReply => wanted.set(reply, path, RETURN_SECONDS),

    /** Sends the browser to where the person wanted to go. */
    leadToWanted: (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
      leadOn(wanted.clear(reply), toLocalPath(wanted.read(request)) ?? '/'),
  };
};

export type Door = ReturnType<typeof createDoor>;
