import type { FastifyRequest } from 'fastify';
import { type Routes, rateLimited, strangerKey } from '../../http/index.ts';
import { createRateLimit } from '../../platform/index.ts';
import { actorOf } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import { memberRemoved } from '../errors.ts';
import { beginSession, refuseAnother, SESSION_LIFETIME_MS } from '../sessions/begin-session.ts';
import { nameDevice } from '../sessions/name-device.ts';
import type { Door } from '../sign-in/door.ts';
import { createAdmitOutsideUser } from './admit-outside-user.ts';
import { BEGUN_SECONDS, type OutsideSignIn } from './outside-sign-in.ts';

/**
 * How many sign-ins an IP address may begin or finish. Finishing one sends our client secret to the identity provider,
 * which may lock us out if strangers cause too many failures.
 */
const ASKED_PER_MINUTE = 20;

/** Routes for signing in with the operator's identity provider. */
export const outsideSignInRoutes =
  (context: TeamsContext, door: Door, outsideSignIn: OutsideSignIn): Routes =>
  (server) => {
    const admitOutsideUser = createAdmitOutsideUser(context);
    const begun = door.createCookie('sign_in');
    const askers = createRateLimit({ clock: context.clock, perMinute: ASKED_PER_MINUTE });
    const count = ({ ip }: FastifyRequest): void => {
      const wait = askers.take(strangerKey(ip));
      if (wait > 0) throw rateLimited(wait);
    };
    const options = { schema: { hide: true }, config: { access: 'anyone', page: true } } as const;

    server.get('/sign-in/outside', options, async (request, reply) => {
      count(request);
      const { address, sealed } = await outsideSignIn.begin();
      return begun.set(reply, sealed, BEGUN_SECONDS).redirect(address, 303);
    });

    server.get('/sign-in/callback', options, async (request, reply) => {
      count(request);
      const { searchParams } = new URL(request.url, 'http://callback.invalid');
      begun.clear(reply);
      const identity = await outsideSignIn.finish(searchParams, begun.read(request) ?? '');
      const holder = await admitOutsideUser(identity);
      if (!holder) throw memberRemoved();
      return door.letIn(request, reply, async (current) => {
        await refuseAnother(context, current, holder);
        const session = await context.database.transaction((tx) =>
          beginSession(context, tx, holder, actorOf(request), {
            lifetimeMs: SESSION_LIFETIME_MS.outside,
            provesAddress: false,
            device: nameDevice(request.headers['user-agent']),
          }),
        );
        return door.leadToWanted(request, door.giveSession(reply, session));
      });
    });
  };
