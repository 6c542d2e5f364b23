import { callerOf, type Routes } from '../../http/index.ts';
import { NextCursor, PageQuery, Type } from '../../platform/index.ts';
import { actorOf } from '../../teams/index.ts';
import {
  type AccountDependencies,
  changeAccount,
  createAccount,
  deleteAccount,
  MOST_SECRETS,
} from '../accounts/put-account.ts';
import { type ReleaseDependencies, releaseHeld } from '../deliveries/release-held.ts';
import { type EraseDependencies, eraseNumber } from '../erasure/erase-number.ts';
import {
  AccountAnswer,
  type AnswerDependencies,
  getAccountAnswer,
  listAccountAnswers,
  toAccountAnswer,
} from './account-answer.ts';

export type AccountRouteDependencies = AnswerDependencies &
  AccountDependencies &
  ReleaseDependencies &
  EraseDependencies;

const SecretText = Type.String({ minLength: 1, maxLength: 4_000 });
const fields = {
  accountId: Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()], {
    description: "The provider's id for the account",
  }),
  secrets: Type.Array(SecretText, {
    minItems: 1,
    maxItems: MOST_SECRETS,
    description: 'Any one of them can verify a delivery',
  }),
  api: Type.Record(Type.String({ pattern: '^[a-z][a-zA-Z]{0,39}$' }), Type.String({ minLength: 1, maxLength: 8_000 }), {
    description: 'Credentials for fetching recordings, if they differ from the secret',
  }),
  mode: Type.Enum(['enforce', 'observe']),
  removesArchived: Type.Boolean({ description: 'Delete recordings at the provider once they are archived here' }),
};
const { accountId, secrets, api, mode, removesArchived } = fields;

const Body = Type.Object(
  {
    provider: Type.String({ maxLength: 60 }),
    accountId: Type.Optional(accountId),
    secrets,
    api: Type.Optional(api),
    mode: Type.Optional(mode),
    removesArchived: Type.Optional(removesArchived),
  },
  { additionalProperties: false },
);

const Change = Type.Partial(
  Type.Object({ ...fields, addSecret: SecretText, removeSecret: Type.String({ maxLength: 60 }) }),
  { additionalProperties: false },
);

const ById = Type.Object({ id: Type.String({ maxLength: 60 }) });

export const accountRoutes =
  (dependencies: AccountRouteDependencies): Routes =>
  (server) => {
    const tags = ['telephony'];

    server.get(
      '/api/telephony/accounts',
      {
        config: { access: 'admin' },
        schema: {
          tags,
          summary: "List the team's telephony accounts",
          querystring: PageQuery,
          response: { 200: Type.Object({ accounts: Type.Array(AccountAnswer), nextCursor: NextCursor }) },
        },
      },
      async (request) => {
        const { rows, nextCursor } = await listAccountAnswers(dependencies, callerOf(request).teamId, request.query);
        return { accounts: rows, nextCursor };
      },
    );

    server.get(
      '/api/telephony/accounts/:id',
      {
        config: { access: 'admin' },
        schema: { tags, summary: 'Get a telephony account', params: ById, response: { 200: AccountAnswer } },
      },
      (request) => getAccountAnswer(dependencies, callerOf(request).teamId, request.params.id),
    );

    server.post(
      '/api/telephony/accounts',
      {
        config: { access: 'admin' },
        schema: {
          tags,
          summary: 'Add a telephony account',
          description:
            "The response has the URLs to paste at the provider. With `observe`, deliveries that can't be verified are answered and held for up to seven days instead of being refused.",
          body: Body,
          response: { 201: AccountAnswer },
        },
      },
      async (request, reply) => {
        const { accountId = null, api = {}, mode = 'enforce', removesArchived = false, ...wish } = request.body;
        const account = await createAccount(dependencies, callerOf(request).teamId, actorOf(request), {
          ...wish,
          accountId,
          api,
          mode,
          removesArchived,
        });
        return reply.code(201).send(await toAccountAnswer(dependencies, account));
      },
    );

    server.patch(
      '/api/telephony/accounts/:id',
      {
        config: { access: 'admin' },
        schema: {
          tags,
          summary: 'Change a telephony account',
          description:
            '`secrets` replaces all of them. To rotate, `addSecret` puts a new one first and `removeSecret` removes one by its id.',
          params: ById,
          body: Change,
          response: { 200: AccountAnswer },
        },
      },
      async (request) => {
        const { teamId } = callerOf(request);
        await changeAccount(dependencies, teamId, actorOf(request), request.params.id, request.body);
        return getAccountAnswer(dependencies, teamId, request.params.id);
      },
    );

    server.delete(
      '/api/telephony/accounts/:id',
      {
        config: { access: 'admin' },
        schema: {
          tags,
          summary: 'Remove a telephony account and its numbers',
          description: 'Its secrets are erased immediately. Calls and recordings stay.',
          params: ById,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await deleteAccount(dependencies, callerOf(request).teamId, actorOf(request), request.params.id);
        return reply.code(204).send(null);
      },
    );

    server.post(
      '/api/telephony/erase',
      {
        config: { access: 'admin' },
        schema: {
          tags,
          summary: 'Erase everything about a phone number',
          description:
            "Erases its calls in both directions, their recordings, the deliveries about them, and held deliveries that mention it. This can't be undone.",
          body: Type.Object({ number: Type.String({ minLength: 2, maxLength: 256 }) }, { additionalProperties: false }),
          response: {
            200: Type.Object({ calls: Type.Integer(), recordings: Type.Integer(), held: Type.Integer() }),
          },
        },
      },
      (request) => eraseNumber(dependencies, callerOf(request).teamId, actorOf(request), request.body.number),
    );

    server.post(
      '/api/telephony/accounts/:id/release',
      {
        config: { access: 'admin' },
        schema: {
          tags,
          summary: 'Verify held deliveries again and release those that pass',
          params: ById,
          response: { 200: Type.Object({ released: Type.Integer(), held: Type.Integer() }) },
        },
      },
      (request) => releaseHeld(dependencies, callerOf(request).teamId, actorOf(request), request.params.id),
    );
  };
