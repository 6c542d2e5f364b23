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

/** Lets browsers in, and manages their cookies. */
export const createDoor = (url: string, callers: CallerSource) => {
  const secure = url.startsWith('https:');

  const createCookie = (word: string) => {
    // With the `__Host-` prefix, no other host in the domain can set this cookie.
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

    /** Refuses a form from another site, which could sign a visitor in as a different person. */
    refuseForeignForm: (request: FastifyRequest): void => refuseForeignForm(url, request),

    /**
     * Signs a person in. If another person is signed in at this browser, shows a page that says so and offers to sign
     * out.
     */
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

    /** Remembers in a cookie which page the person wanted to open, until they are signed in. */
    rememberWanted: (reply: FastifyReply, path: string): FastifyReply => wanted.set(reply, path, RETURN_SECONDS),

    /** Sends the browser to where the person wanted to go. */
    leadToWanted: (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
      leadOn(wanted.clear(reply), toLocalPath(wanted.read(request)) ?? '/'),
  };
};

export type Door = ReturnType<typeof createDoor>;
