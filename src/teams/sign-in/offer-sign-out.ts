import type { FastifyReply } from 'fastify';
import { type Caller, sendPage } from '../../http/index.ts';
import { Refusal } from '../../platform/index.ts';
import { SIGNED_IN_AS_ANOTHER } from '../errors.ts';
import { anotherPage } from './sign-in-pages.ts';

/** If someone else is signed in, the page that says so offers to sign out. */
export const offerSignOut = async (
  reply: FastifyReply,
  current: Caller | null,
  signIn: () => Promise<FastifyReply>,
): Promise<FastifyReply> => {
  try {
    return await signIn();
  } catch (error) {
    const isAnother = error instanceof Refusal && error.code === SIGNED_IN_AS_ANOTHER;
    if (!isAnother || !current?.csrfToken) throw error;
    return sendPage(reply, error.status, anotherPage(error.message, current.csrfToken));
  }
};
