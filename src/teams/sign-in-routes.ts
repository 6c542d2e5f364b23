import formBody from '@fastify/formbody';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { callerOf, clearCookie, cookieOf, type Routes, sendPage, setCookie } from '../http/index.ts';
import type { Callers } from './callers.ts';
import { type Credential, formatCredential, parseCredential } from './credential.ts';
import { deleteSession } from './credential-store.ts';
import { foreignForm, linkGone } from './errors.ts';
import { finishSignIn, getLinkHolder, SESSION_LIFETIME_MS, type SignInDependencies } from './finish-sign-in.ts';
import { toLocalPath } from './local-path.ts';
import { actorOf, recordAudit } from './record-audit.ts';
import { askForLinkPage, confirmLinkPage, signedInPage } from './sign-in-pages.ts';
import { getTeam } from './team-store.ts';
import { getUser } from './user-store.ts';

export type SignInRouteDependencies = SignInDependencies & { url: string; sessionCookie: string; callers: Callers };

const RETURN_COOKIE = 'patchbay_return';
const RETURN_SECONDS = 3_600;

const readLink = (text: string): Credential => {
  const link = parseCredential(text);
  if (!link) throw linkGone();
  return link;
};

/** Somebody else's page must not sign a visitor in as somebody else. */
const refuseForeignForm = ({ headers }: FastifyRequest, url: string): void => {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) {
    if (site !== 'same-origin') throw foreignForm();
    return;
  }
  const from = headers.origin === undefined ? null : URL.parse(headers.origin);
  if (headers.origin !== undefined && from?.host !== headers.host && from?.origin !== url) throw foreignForm();
};

export const signInRoutes =
  (dependencies: SignInRouteDependencies): Routes =>
  async (server) => {
    const { database, url, sessionCookie, callers } = dependencies;
    const secure = url.startsWith('https:');
    const page = { schema: { hide: true }, config: { access: 'anyone_or_caller', page: true } } as const;
    const byLink = { ...page, schema: { hide: true, params: Type.Object({ link: Type.String() }) } } as const;
    await server.register(formBody);

    server.get(
      '/sign-in',
      { ...page, schema: { hide: true, querystring: Type.Object({ returnTo: Type.Optional(Type.String()) }) } },
      async (request, reply) => {
        const { caller } = request;
        const returnTo = toLocalPath(request.query.returnTo);
        if (caller?.csrfToken) {
          if (returnTo) return reply.redirect(returnTo, 303);
          const user = await getUser(database, caller.teamId, caller.userId);
          const team = await getTeam(database, caller.teamId);
          return sendPage(
            reply,
            200,
            signedInPage(user?.email ?? user?.name ?? '', team?.name ?? '', caller.csrfToken),
          );
        }
        if (returnTo) setCookie(reply, RETURN_COOKIE, returnTo, { secure, maxAgeSeconds: RETURN_SECONDS });
        return sendPage(reply, 200, askForLinkPage);
      },
    );

    server.get('/sign-in/:link', byLink, async (request, reply) => {
      const { who, team } = await getLinkHolder(dependencies, readLink(request.params.link));
      return sendPage(reply, 200, confirmLinkPage(who, team, `/sign-in/${request.params.link}`));
    });

    server.post('/sign-in/:link', { ...byLink, config: { access: 'anyone', page: true } }, async (request, reply) => {
      refuseForeignForm(request, url);
      const current = await callers.fromSession(cookieOf(request, sessionCookie) ?? '');
      const { session } = await finishSignIn(dependencies, readLink(request.params.link), current, actorOf(request));
      setCookie(reply, sessionCookie, formatCredential(session), {
        secure,
        maxAgeSeconds: SESSION_LIFETIME_MS / 1_000,
      });
      clearCookie(reply, RETURN_COOKIE, { secure });
      return reply.redirect(toLocalPath(cookieOf(request, RETURN_COOKIE)) ?? '/', 303);
    });

    server.post('/sign-out', { ...page, config: { access: 'member', page: true } }, async (request, reply) => {
      const { teamId, via } = callerOf(request);
      const session = parseCredential(cookieOf(request, sessionCookie) ?? '');
      // Only where the cookie let the caller in has its secret been checked.
      if (session && via === 'session') {
        await database.transaction(async (tx) => {
          await deleteSession(tx, teamId, session.id);
          await recordAudit(dependencies, tx, teamId, actorOf(request), { action: 'session.end' });
          tx.afterCommit(callers.forget);
        });
      }
      return clearCookie(reply, sessionCookie, { secure }).redirect('/sign-in', 303);
    });
  };
