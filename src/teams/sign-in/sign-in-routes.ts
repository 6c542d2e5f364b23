import {
  callerOf,
  clearCookie,
  cookieOf,
  createRateLimit,
  type Routes,
  rateLimited,
  sendPage,
  strangerKey,
  useForms,
} from '../../http/index.ts';
import type { Jobs } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import { linkGone } from '../errors.ts';
import { askForLink } from '../links/ask-for-link.ts';
import { normalizeEmail } from '../records/add-user.ts';
import { type Credential, parseCredential } from '../records/credential.ts';
import { actorOf } from '../records/record-audit.ts';
import { getTeam } from '../records/team-store.ts';
import { getUser } from '../records/user-store.ts';
import type { SignInDependencies } from '../sessions/begin-session.ts';
import type { Callers } from '../sessions/callers.ts';
import { endSession } from '../sessions/end-session.ts';
import { finishSignIn, getLinkHolder } from './finish-sign-in.ts';
import { type Door, giveSession, leadToWanted, rememberWanted } from './let-in.ts';
import { toLocalPath } from './local-path.ts';
import { offerSignOut } from './offer-sign-out.ts';
import { refuseForeignForm } from './refuse-foreign-form.ts';
import { confirmLinkPage, linkMailedPage, signedInPage, signInPage } from './sign-in-pages.ts';
import { CHOOSE_TEAM_PATH } from './team-choice-routes.ts';

export type SignInRouteDependencies = SignInDependencies & {
  url: string;
  door: Door;
  callers: Callers;
  jobs: Pick<Jobs, 'enqueue'>;
  /** The ways in, besides a link that someone hands over. */
  ways: { mail: boolean; outside: string | null };
};

/** Enough for someone who doesn't find the email and asks again, but not enough to flood someone else's inbox. */
const LINKS_PER_MINUTE = 2;
const ASKED_PER_MINUTE = 10;

const readLink = (text: string): Credential => {
  const link = parseCredential(text);
  if (!link) throw linkGone();
  return link;
};

export const signInRoutes =
  (dependencies: SignInRouteDependencies): Routes =>
  async (server) => {
    const { database, clock, url, door, callers, ways } = dependencies;
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
          return sendPage(
            reply,
            200,
            signedInPage(user?.email ?? user?.name ?? '', team?.name ?? '', caller.csrfToken),
          );
        }
        if (returnTo) rememberWanted(reply, door, returnTo);
        return sendPage(reply, 200, signInPage(ways));
      },
    );

    if (ways.mail) {
      const askers = createRateLimit({ clock, perMinute: ASKED_PER_MINUTE });
      const letterBoxes = createRateLimit({ clock, perMinute: LINKS_PER_MINUTE });
      const body = Type.Object({ email: Type.String({ format: 'email', maxLength: 320 }) });
      server.post(
        '/sign-in',
        { schema: { hide: true, body }, config: { access: 'anyone', page: true } },
        async (request, reply) => {
          refuseForeignForm(request, url);
          const wait = askers.take(strangerKey(request.ip));
          if (wait > 0) throw rateLimited(wait);
          const { email } = request.body;
          // The response is the same either way, so that it doesn't reveal whether an address is known.
          if (letterBoxes.take(normalizeEmail(email)) === 0) await askForLink(dependencies, email);
          return sendPage(reply, 200, linkMailedPage(email));
        },
      );
    }

    server.get('/sign-in/:link', byLink, async (request, reply) => {
      const { who, team } = await getLinkHolder(dependencies, readLink(request.params.link));
      return sendPage(reply, 200, confirmLinkPage(who, team, `/sign-in/${request.params.link}`));
    });

    server.post('/sign-in/:link', { ...byLink, config: { access: 'anyone', page: true } }, async (request, reply) => {
      refuseForeignForm(request, url);
      const current = await callers.fromSession(cookieOf(request, door.sessionCookie) ?? '');
      return offerSignOut(reply, current, async () => {
        const signedIn = await finishSignIn(dependencies, readLink(request.params.link), current, actorOf(request));
        giveSession(reply, door, signedIn);
        return signedIn.choosing ? reply.redirect(CHOOSE_TEAM_PATH, 303) : leadToWanted(request, reply, door);
      });
    });

    server.post('/sign-out', { ...page, config: { access: 'member', page: true } }, async (request, reply) => {
      const caller = callerOf(request);
      if (caller.sessionId) await endSession(dependencies, caller, actorOf(request), caller.sessionId);
      return clearCookie(reply, door.sessionCookie, door).redirect('/sign-in', 303);
    });
  };
