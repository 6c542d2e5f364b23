import type { FastifyRequest } from 'fastify';
import {
  clearCookie,
  cookieOf,
  createRateLimit,
  type Routes,
  rateLimited,
  setCookie,
  strangerKey,
} from '../../http/index.ts';
import { memberRemoved } from '../errors.ts';
import { actorOf } from '../records/record-audit.ts';
import {
  beginSession,
  refuseAnother,
  SESSION_LIFETIME_MS,
  type SignInDependencies,
} from '../sessions/begin-session.ts';
import type { Callers } from '../sessions/callers.ts';
import { cookieName, type Door, giveSession, leadToWanted } from '../sign-in/let-in.ts';
import { offerSignOut } from '../sign-in/offer-sign-out.ts';
import type { CreateTeamDependencies } from '../team/create-team.ts';
import { admitOutsideUser } from './admit-outside-user.ts';
import { BEGUN_SECONDS, type OutsideSignIn } from './outside-sign-in.ts';

export type OutsideSignInRouteDependencies = SignInDependencies &
  CreateTeamDependencies & { callers: Callers; door: Door; outsideSignIn: OutsideSignIn };

/** Each one sends the identity provider a request with the client's secret. Strangers must not make it lock us out. */
const ASKED_PER_MINUTE = 20;

/** To the operator's identity provider, and back. */
export const outsideSignInRoutes =
  (dependencies: OutsideSignInRouteDependencies): Routes =>
  (server) => {
    const { database, clock, callers, door, outsideSignIn } = dependencies;
    const { secure, sessionCookie } = door;
    const begunCookie = cookieName(door, 'sign_in');
    const askers = createRateLimit({ clock, perMinute: ASKED_PER_MINUTE });
    const count = ({ ip }: FastifyRequest): void => {
      const wait = askers.take(strangerKey(ip));
      if (wait > 0) throw rateLimited(wait);
    };
    const options = { schema: { hide: true }, config: { access: 'anyone', page: true } } as const;

    server.get('/sign-in/outside', options, async (request, reply) => {
      count(request);
      const { address, sealed } = await outsideSignIn.begin();
      setCookie(reply, begunCookie, sealed, { secure, maxAgeSeconds: BEGUN_SECONDS });
      return reply.redirect(address, 303);
    });

    server.get('/sign-in/callback', options, async (request, reply) => {
      count(request);
      const { searchParams } = new URL(request.url, 'http://callback.invalid');
      const begun = cookieOf(request, begunCookie) ?? '';
      clearCookie(reply, begunCookie, { secure });
      const identity = await outsideSignIn.finish(searchParams, begun);
      const holder = await admitOutsideUser(dependencies, identity);
      if (!holder) throw memberRemoved();
      const current = await callers.fromSession(cookieOf(request, sessionCookie) ?? '');
      return offerSignOut(reply, current, async () => {
        await refuseAnother(dependencies, current, holder);
        const session = await database.transaction((tx) =>
          beginSession(dependencies, tx, holder, actorOf(request), {
            lifetimeMs: SESSION_LIFETIME_MS.outside,
            provesAddress: false,
          }),
        );
        return leadToWanted(request, giveSession(reply, door, session), door);
      });
    });
  };
