import { type Routes, withOptionalBody } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { actorOf } from '../audit/record-audit.ts';
import type { User } from '../records/user-store.ts';
import type { CustomerUsers } from './customer-users.ts';
import { forOperator, Key, UserEmail, UserName } from './operator-schemas.ts';

const ByKeys = Type.Object({ key: Key, userKey: Key });

const Body = Type.Object(
  {
    name: Type.Optional(Type.Union([UserName, Type.Null()])),
    email: Type.Optional(Type.Union([UserEmail, Type.Null()])),
  },
  { additionalProperties: false },
);

const NullableText = Type.Union([Type.String(), Type.Null()]);

const CustomerUserView = Type.Object(
  {
    id: Type.String(),
    key: Type.String(),
    name: NullableText,
    email: NullableText,
  },
  { title: 'CustomerUser' },
);

const toCustomerUserView = ({ id, key, name, email }: User) => ({ id, key: key ?? '', name, email });

export const customerUserRoutes =
  (users: CustomerUsers): Routes =>
  (server) => {
    server.put(
      '/api/operator/teams/:key/users/:userKey',
      withOptionalBody(
        forOperator({
          summary: "Create, change, or restore a customer's user",
          description:
            "Users are also created on first use, so this is only needed to name one, or to restore one that was removed. Nothing from before the removal works again: not the user's sessions and tokens, and no connect flow that they had started. What you leave out stays as it is.",
          params: ByKeys,
          body: Body,
          response: { 200: CustomerUserView, 201: CustomerUserView },
        }),
      ),
      async (request, reply) => {
        const { key, userKey } = request.params;
        const { user, created } = await users.put(key, actorOf(request), { key: userKey, ...request.body });
        return reply.code(created ? 201 : 200).send(toCustomerUserView(user));
      },
    );

    server.delete(
      '/api/operator/teams/:key/users/:userKey',
      forOperator({
        summary: "Remove a customer's user",
        description:
          "Ends the user's connect sessions and access tokens. The team keeps its connections. The user's key is refused until you restore it.",
        params: ByKeys,
        response: { 204: Type.Null() },
      }),
      async (request, reply) => {
        const { key, userKey } = request.params;
        await users.remove(key, actorOf(request), userKey);
        return reply.code(204).send(null);
      },
    );
  };
