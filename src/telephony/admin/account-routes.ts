import { callerOf, type Routes } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { actorOf } from '../../teams/index.ts';
import { AccountChange, AccountWish } from '../accounts/account-wish.ts';
import { ById } from '../contract/schemas.ts';
import { AccountView } from './account-view.ts';
import type { Administration } from './administration.ts';
import { forAdmins, managedRoutes } from './managed-routes.ts';

const about = {
  list: { summary: "List the team's telephony accounts" },
  get: { summary: 'Get a telephony account' },
  create: {
    summary: 'Add a telephony account',
    description:
      "The response has the URLs to paste at the provider. With `observe`, deliveries that can't be verified are answered and held for up to seven days instead of being refused.",
  },
  change: {
    summary: 'Change a telephony account',
    description:
      '`secrets` replaces all of them. To rotate, `addSecret` puts a new one first and `removeSecret` removes one by its ID.',
  },
  remove: {
    summary: 'Remove a telephony account and its numbers',
    description: 'Its secrets are erased immediately. Calls and recordings stay.',
  },
};

export const accountRoutes =
  ({ accounts, numbers }: Administration): Routes =>
  (server) => {
    managedRoutes(server, 'accounts', about, { view: AccountView, wish: AccountWish, change: AccountChange }, accounts);

    server.post(
      '/api/telephony/erase',
      forAdmins({
        summary: 'Erase everything about a phone number',
        description:
          "Erases its calls in both directions, their recordings, the deliveries about them, and held deliveries that mention it. This can't be undone.",
        body: Type.Object({ number: Type.String({ minLength: 2, maxLength: 256 }) }, { additionalProperties: false }),
        response: { 200: Type.Object({ calls: Type.Integer(), recordings: Type.Integer(), held: Type.Integer() }) },
      }),
      (request) => numbers.erase(callerOf(request).teamId, actorOf(request), request.body.number),
    );

    server.post(
      '/api/telephony/accounts/:id/release',
      forAdmins({
        summary: 'Verify held deliveries again and release those that pass',
        params: ById,
        response: { 200: Type.Object({ released: Type.Integer(), held: Type.Integer() }) },
      }),
      (request) => accounts.releaseHeld(callerOf(request).teamId, actorOf(request), request.params.id),
    );
  };
