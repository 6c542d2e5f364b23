import { callerOf, type Routes, routeOptions, sendCsv, wantsCsv } from '../../http/index.ts';
import { FIRST_PAGE, NextCursor, PageQuery, Type, toIso } from '../../platform/index.ts';
import { type ListedEvent, OTHER_ACTORS } from '../audit/audit-list-store.ts';
import { MOST_EXPORTED } from '../sessions/exports.ts';
import type { Audit } from './audit.ts';

const NullableText = Type.Union([Type.String(), Type.Null()]);

const UserKey = Type.Union([Type.String(), Type.Null()], {
  description: "Your product's key of the user, if it named them",
});

const EventView = Type.Object(
  {
    id: Type.String(),
    at: Type.String({ format: 'date-time' }),
    actor: Type.Object({ kind: Type.String(), id: NullableText, key: UserKey }),
    action: Type.String(),
    target: NullableText,
    targetKey: UserKey,
    detail: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
    address: Type.Union([Type.String(), Type.Null()], {
      description: 'The IP address of the request; null for members',
    }),
    requestId: NullableText,
  },
  { title: 'AuditEntry' },
);

const toEventView = ({ actor, actorId, actorKey, at, detail, ...event }: ListedEvent) => ({
  ...event,
  at: toIso(at),
  actor: { kind: actor, id: actorId, key: actorKey },
  detail: detail === null ? null : JSON.parse(detail),
});

const Filter = { minLength: 1, maxLength: 60 };
const Moment = { format: 'date-time', maxLength: 40 };

const Query = Type.Object(
  {
    ...PageQuery.properties,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: `At most this many; ${FIRST_PAGE.limit} if left out. A page can have fewer, so read on until \`nextCursor\` is null`,
      }),
    ),
    who: Type.Optional(
      Type.String({
        ...Filter,
        description: `The \`id\` of an actor, or ${OTHER_ACTORS.map((actor) => `\`${actor}\``).join(', ')} for what it did, for whomever`,
      }),
    ),
    what: Type.Optional(Type.String({ ...Filter, description: 'An action, such as `token.create`' })),
    since: Type.Optional(Type.String({ ...Moment, description: 'The earliest time' })),
    until: Type.Optional(Type.String({ ...Moment, description: 'The end, not included' })),
  },
  { additionalProperties: false },
);

export const auditRoutes =
  ({ list, writeCsv }: Audit): Routes =>
  (server) => {
    server.get(
      '/api/audit',
      routeOptions(
        'member',
        'team',
      )({
        summary: 'List who changed what in the team, newest first',
        description: `\`Accept: text/csv\` returns a file with all entries (at most ${MOST_EXPORTED.toLocaleString('en')}), or with the first \`limit\`.`,
        querystring: Query,
        response: { 200: Type.Object({ events: Type.Array(EventView), nextCursor: NextCursor }) },
      }),
      async (request, reply) => {
        const caller = callerOf(request);
        const { since, until, ...given } = request.query;
        const query = {
          ...given,
          ...(since === undefined ? {} : { since: Date.parse(since) }),
          ...(until === undefined ? {} : { until: Date.parse(until) }),
        };
        if (wantsCsv(request)) return sendCsv(reply, 'audit-log', await writeCsv(caller, query));
        const { rows, nextCursor } = await list(caller, { ...FIRST_PAGE, ...query });
        return { events: rows.map(toEventView), nextCursor };
      },
    );
  };
