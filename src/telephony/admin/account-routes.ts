import { callerOf, type Routes, routeOptions } from '../../http/index.ts';
import { NextCursor, PageQuery, Type } from '../../platform/index.ts';
import { actorOf } from '../../teams/index.ts';
import { AccountChange, AccountWish } from '../accounts/account-wish.ts';
import { ById } from '../contract/schemas.ts';
import { AccountView } from './account-view.ts';
import type { Administration } from './administration.ts';

export const accountRoutes =
  ({ accounts, numbers }: Administration): Routes =>
  (server) => {
    const forAdmins = routeOptions('admin', 'telephony');

    server.get(
      '/api/telephony/accounts',
      forAdmins({
        summary: "List the team's telephony accounts",
        querystring: PageQuery,
        response: { 200: Type.Object({ accounts: Type.Array(AccountView), nextCursor: NextCursor }) },
      }),
      async (request) => {
        const { rows, nextCursor } = await accounts.list(callerOf(request).teamId, request.query);
        return { accounts: rows, nextCursor };
      },
    );

    server.get(
      '/api/telephony/accounts/:id',
      forAdmins({ summary: 'Get a telephony account', params: ById, response: { 200: AccountView } }),
      (request) => accounts.get(callerOf(request).teamId, request.params.id),
    );

    server.post(
      '/api/telephony/accounts',
      forAdmins({
        summary: 'Add a telephony account',
        description:
          "The response has the URLs to paste at the provider. With `observe`, deliveries that can't be verified are answered and held for up to seven days instead of being refused.",
        body: AccountWish,
        response: { 201: AccountView },
      }),
      async (request, reply) =>
        reply.code(201).send(await accounts.create(callerOf(request).teamId, actorOf(request), request.body)),
    );

    server.patch(
      '/api/telephony/accounts/:id',
      forAdmins({
        summary: 'Change a telephony account',
        description:
          '`secrets` replaces all of them. To rotate, `addSecret` puts a new one first and `removeSecret` removes one by its id.',
        params: ById,
        body: AccountChange,
        response: { 200: AccountView },
      }),
      (request) => accounts.change(callerOf(request).teamId, actorOf(request), request.params.id, request.body),
    );

    server.delete(
      '/api/telephony/accounts/:id',
      forAdmins({
        summary: 'Remove a telephony account and its numbers',
        description: 'Its secrets are erased immediately. Calls and recordings stay.',
        params: ById,
        response: { 204: Type.Null() },
      }),
      async (request, reply) => {
        await accounts.remove(callerOf(request).teamId, actorOf(request), request.params.id);
        return reply.code(204).send(null);
      },
    );

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
