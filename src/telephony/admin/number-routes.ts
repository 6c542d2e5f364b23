import { callerOf, type Routes } from '../../http/index.ts';
import { NextCursor, PageQuery, Type } from '../../platform/index.ts';
import { actorOf } from '../../teams/index.ts';
import { changeNumber, createNumber, deleteNumber, type NumberDependencies } from '../accounts/put-number.ts';
import { getNumberAnswer, listNumberAnswers, NUMBER_FIELDS, NumberAnswer, toNumberAnswer } from './number-answer.ts';

const Body = Type.Object(
  { ...NUMBER_FIELDS, label: Type.Optional(NUMBER_FIELDS.label), answer: Type.Optional(NUMBER_FIELDS.answer) },
  { additionalProperties: false },
);
const Change = Type.Partial(Type.Object(NUMBER_FIELDS), { additionalProperties: false });
const ById = Type.Object({ id: Type.String({ maxLength: 60 }) });

export const numberRoutes =
  (dependencies: NumberDependencies): Routes =>
  (server) => {
    const { vault } = dependencies;
    const tags = ['telephony'];

    server.get(
      '/api/telephony/numbers',
      {
        config: { access: 'admin' },
        schema: {
          tags,
          summary: "List the team's numbers and how each is answered",
          querystring: PageQuery,
          response: { 200: Type.Object({ numbers: Type.Array(NumberAnswer), nextCursor: NextCursor }) },
        },
      },
      async (request) => {
        const whose = { teamId: callerOf(request).teamId, accountId: null };
        const { rows, nextCursor } = await listNumberAnswers(dependencies, whose, request.query);
        return { numbers: rows, nextCursor };
      },
    );

    server.get(
      '/api/telephony/numbers/:id',
      {
        config: { access: 'admin' },
        schema: { tags, summary: 'Get a number', params: ById, response: { 200: NumberAnswer } },
      },
      (request) => getNumberAnswer(dependencies, callerOf(request).teamId, request.params.id),
    );

    server.post(
      '/api/telephony/numbers',
      {
        config: { access: 'admin' },
        schema: {
          tags,
          summary: 'Add a number',
          description:
            "Without `answer`, callers can leave a message. If `hours.open` is null, the team's business hours apply. Outside them, `hours.outside` overrides the other settings.",
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
        return reply.code(201).send(await toNumberAnswer(vault, row));
      },
    );

    server.patch(
      '/api/telephony/numbers/:id',
      {
        config: { access: 'admin' },
        schema: {
          tags,
          summary: 'Change a number',
          description: '`answer` replaces all the answering settings. They apply from the next call on.',
          params: ById,
          body: Change,
          response: { 200: NumberAnswer },
        },
      },
      async (request) => {
        const { teamId } = callerOf(request);
        const row = await changeNumber(dependencies, teamId, actorOf(request), request.params.id, request.body);
        return toNumberAnswer(vault, row);
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
