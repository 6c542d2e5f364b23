import { Type } from 'typebox';
import { callerOf, type Routes } from '../http/index.ts';
import { toIso } from '../platform/index.ts';
import { actorOf } from '../teams/index.ts';
import type { Vault } from '../vault/index.ts';
import { Answer } from './answer-settings.ts';
import { numberUnknown } from './errors.ts';
import { getNumber, listNumbers, type NumberRow } from './number-store.ts';
import { changeNumber, createNumber, deleteNumber, type NumberDependencies, toNumberWish } from './put-number.ts';

const fields = {
  number: Type.String({ minLength: 2, maxLength: 40, description: 'With country code: +15551230001' }),
  label: Type.Union([Type.String({ maxLength: 200 }), Type.Null()]),
  account: Type.String({ maxLength: 60, description: 'Our id of the telephony account' }),
  answer: Answer,
};

const Body = Type.Object(
  { ...fields, label: Type.Optional(fields.label), answer: Type.Optional(fields.answer) },
  { additionalProperties: false },
);
const Change = Type.Partial(Type.Object(fields), { additionalProperties: false });
const NumberAnswer = Type.Object({
  id: Type.String(),
  ...fields,
  createdAt: Type.String({ format: 'date-time' }),
});
const ById = Type.Object({ id: Type.String({ maxLength: 60 }) });

const toAnswer = async (vault: Vault, row: NumberRow) => ({
  id: row.id,
  ...(await toNumberWish(vault, row)),
  createdAt: toIso(row.createdAt),
});

export const numberRoutes =
  (dependencies: NumberDependencies): Routes =>
  (server) => {
    const { database, vault } = dependencies;
    const tags = ['telephony'];

    server.get(
      '/api/telephony/numbers',
      {
        config: { access: 'admin' },
        schema: {
          tags,
          summary: 'The numbers of the team, and how each is answered',
          response: { 200: Type.Object({ numbers: Type.Array(NumberAnswer) }) },
        },
      },
      async (request) => {
        const rows = await listNumbers(database, callerOf(request).teamId);
        return { numbers: await Promise.all(rows.map((row) => toAnswer(vault, row))) };
      },
    );

    server.get(
      '/api/telephony/numbers/:id',
      {
        config: { access: 'admin' },
        schema: { tags, summary: 'One number', params: ById, response: { 200: NumberAnswer } },
      },
      async (request) => {
        const row = await getNumber(database, callerOf(request).teamId, request.params.id);
        if (!row) throw numberUnknown();
        return toAnswer(vault, row);
      },
    );

    server.post(
      '/api/telephony/numbers',
      {
        config: { access: 'admin' },
        schema: {
          tags,
          summary: 'Add a number',
          description:
            'Without `answer` a caller may leave a message. `hours.open` null means the business hours of the team; outside of them `hours.outside` replaces what differs.',
          body: Body,
          response: { 201: NumberAnswer },
        },
      },
      async (request, reply) => {
        const { label = null, answer = {}, ...wish } = request.body;
        const row = await createNumber(dependencies, callerOf(request).teamId, actorOf(request), {
          ...wish,
          label,
          answer,
        });
        return reply.code(201).send(await toAnswer(vault, row));
      },
    );

    server.patch(
      '/api/telephony/numbers/:id',
      {
        config: { access: 'admin' },
        schema: {
          tags,
          summary: 'Change a number',
          description: '`answer` replaces the whole of it. The next call is answered as it says.',
          params: ById,
          body: Change,
          response: { 200: NumberAnswer },
        },
      },
      async (request) => {
        const { teamId } = callerOf(request);
        const row = await changeNumber(dependencies, teamId, actorOf(request), request.params.id, request.body);
        return toAnswer(vault, row);
      },
    );

    server.delete(
      '/api/telephony/numbers/:id',
      {
        config: { access: 'admin' },
        schema: { tags, summary: 'Remove a number', params: ById, response: { 204: Type.Null() } },
      },
      async (request, reply) => {
        await deleteNumber(dependencies, callerOf(request).teamId, actorOf(request), request.params.id);
        return reply.code(204).send(null);
      },
    );
  };
