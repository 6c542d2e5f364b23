import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, type Routes, rateLimited, sendPage, strangerKey, useForms } from '../../http/index.ts';
import { createRateLimit, Type } from '../../platform/index.ts';
import { actorOf } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import { linkGone } from '../errors.ts';
import { askForLink } from '../links/mail-sign-in-link.job.ts';
import { normalizeEmail } from '../records/add-user.ts';
import { type Credential, parseCredential } from '../records/credential.ts';
import { getTeam } from '../records/team-store.ts';
import { getUser } from '../records/user-store.ts';
import { nameDevice } from '../sessions/name-device.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Door } from './door.ts';
import { finishSignIn, getLinkHolder } from './finish-sign-in.ts';
import { confirmLinkPage, linkMailedPage, signedInPage, signInPage } from './sign-in-pages.ts';
import { CHOOSE_TEAM_PATH } from './team-choice-routes.ts';
import { toLocalPath } from './to-local-path.ts';

/** Enough for a person who doesn't find the email and asks again, but too few to flood another person's inbox. */
const LINKS_PER_MINUTE = 2;
const ASKED_PER_MINUTE = 10;

const readLink = (text: string): Credential => {
  const link = parseCredential(text);
  if (!link) throw linkGone();
  return link;
};

/** Called at sign-out, so that other parts of the service can clear their cookies. */
export type OnSignOut = (request: FastifyRequest, reply: FastifyReply) => void;

export const signInRoutes =
  (context: TeamsContext, door: Door, sessions: Sessions, onSignOut: OnSignOut): Routes =>
  async (server) => {
    const { database, clock, identity, url } = context;
    const mail = context.mailer !== null;
    const outside = identity?.client ? new URL(identity.issuer).host : null;
    const page = { schema: { hide: true }, config: { access: 'anyone_or_caller', page: true } } as const;
    const byLink = { ...page, schema: { hide: true, params: Type.Object({ link: Type.String() }) } } as const;
    useForms(server);

    server.get(
      '/sign-in',
      {
        ...page,
        schema: { hide: true, querystring: Type.Object({ returnTo: Type.Optional(Type.String()) }) },
        exposeHeadRoute: true,
      },
      async (request, reply) => {
        const { caller } = request;
        const returnTo = toLocalPath(request.query.returnTo);
        if (caller?.csrfToken) {
          if (returnTo) return reply.redirect(returnTo, 303);
          const user = await getUser(database, caller.teamId, caller.userId);
          const team = await getTeam(database, caller.teamId);
          const who = user?.email ?? user?.name ?? '';
          return sendPage(reply, 200, signedInPage(who, team?.name ?? '', caller.csrfToken));
        }
        if (returnTo) door.rememberWanted(reply, returnTo);
        return sendPage(reply, 200, signInPage({ mail, outside, url }));
      },
    );

    if (mail) {
      const askers = createRateLimit({ clock, perMinute: ASKED_PER_MINUTE });
      const inboxes = createRateLimit({ clock, perMinute: LINKS_PER_MINUTE });
      const body = Type.Object({ email: Type.String({ format: 'email', maxLength: 320 }) });
      server.post(
        '/sign-in',
        { schema: { hide: true, body }, config: { access: 'anyone', page: true } },
        async (request, reply) => {
          door.refuseForeignForm(request);
          const wait = askers.take(strangerKey(request.ip));
          if (wait > 0) throw rateLimited(wait);
          await context.pause.check();
          const { email } = request.body;
          // The response is always the same, so that it doesn't reveal whether an email address is known.
          if (inboxes.take(normalizeEmail(email)) === 0) await askForLink(context, email);
          return sendPage(reply, 200, linkMailedPage(email));
        },
      );
    }

    server.get('/sign-in/:link', byLink, async (request, reply) => {
      const { who, team } = await getLinkHolder(context, readLink(request.params.link));
      return sendPage(reply, 200, confirmLinkPage(who, team, `/sign-in/${request.params.link}`));
    });

    server.post('/sign-in/:link', { ...byLink, config: { access: 'anyone', page: true } }, async (request, reply) => {
      door.refuseForeignForm(request);
      return door.letIn(request, reply, async (current) => {
        const device = nameDevice(request.headers['user-agent']);
        const signedIn = await finishSignIn(context, readLink(request.params.link), current, actorOf(request), device);
        door.giveSession(reply, signedIn);
        return signedIn.choosing ? reply.redirect(CHOOSE_TEAM_PATH, 303) : door.leadToWanted(request, reply);
      });
    });

    server.post('/sign-out', { ...page, config: { access: 'member', page: true } }, async (request, reply) => {
      const caller = callerOf(request);
      if (caller.sessionId) await sessions.end(caller, actorOf(request), caller.sessionId);
      door.session.clear(reply);
      onSignOut(request, reply);
      return reply.redirect('/sign-in', 303);
    });
  };
