import { clearCookie, cookieOf, type Routes, setCookie } from '../http/index.ts';
import { admitOutsideUser } from './admit-outside-user.ts';
import { beginSession, refuseAnother, type SignInDependencies } from './begin-session.ts';
import type { Callers } from './callers.ts';
import type { CreateTeamDependencies } from './create-team.ts';
import { memberRemoved } from './errors.ts';
import { type Door, letIn } from './let-in.ts';
import { BEGUN_SECONDS, type OutsideSignIn } from './outside-sign-in.ts';
import { actorOf } from './record-audit.ts';

export type OutsideSignInRouteDependencies = SignInDependencies &
  CreateTeamDependencies & { callers: Callers; door: Door; outsideSignIn: OutsideSignIn };

const BEGUN_COOKIE = 'patchbay_sign_in';

/** To the operator's identity provider, and back. */
export const outsideSignInRoutes =
  (dependencies: OutsideSignInRouteDependencies): Routes =>
  (server) => {
    const { database, callers, door, outsideSignIn } = dependencies;
    const { secure, sessionCookie } = door;
    const options = { schema: { hide: true }, config: { access: 'anyone', page: true } } as const;

    server.get('/sign-in/outside', options, async (_request, reply) => {
      const { address, sealed } = await outsideSignIn.begin();
      setCookie(reply, BEGUN_COOKIE, sealed, { secure, maxAgeSeconds: BEGUN_SECONDS });
      return reply.redirect(address, 303);
    });

    server.get('/sign-in/callback', options, async (request, reply) => {
      const { searchParams } = new URL(request.url, 'http://callback.invalid');
      const begun = cookieOf(request, BEGUN_COOKIE) ?? '';
      clearCookie(reply, BEGUN_COOKIE, { secure });
      const identity = await outsideSignIn.finish(searchParams, begun);
      const holder = await admitOutsideUser(dependencies, identity);
      if (!holder) throw memberRemoved();
      await refuseAnother(dependencies, await callers.fromSession(cookieOf(request, sessionCookie) ?? ''), holder);
      const session = await database.transaction((tx) => beginSession(dependencies, tx, holder, actorOf(request)));
      return letIn(request, reply, door, session);
    });
  };
