import { Type } from 'typebox';
import { callerOf, type Routes } from '../http/index.ts';
import { type Database, toIso } from '../platform/index.ts';
import { type AuditEvent, listAuditEvents } from './audit-store.ts';
import { cursorInvalid } from './errors.ts';

const FIRST_PAGE = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const NullableText = Type.Union([Type.String(), Type.Null()]);

const Event = Type.Object({
  id: Type.String(),
  at: Type.String({ format: 'date-time' }),
  actor: Type.Object({ kind: Type.String(), id: NullableText }),
  action: Type.String(),
  target: NullableText,
  detail: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  address: NullableText,
  requestId: NullableText,
});

const toAnswer = ({ actor, actorId, at, detail, ...event }: AuditEvent) => ({
  ...event,
  at: toIso(at),
  actor: { kind: actor, id: actorId },
  detail: detail === null ? null : JSON.parse(detail),
});

const encodeCursor = (id: string): string => Buffer.from(id).toString('base64url');

const decodeCursor = (cursor: string | undefined): string => {
  if (cursor === undefined) return FIRST_PAGE;
  const id = Buffer.from(cursor, 'base64url').toString();
  if (!UUID.test(id)) throw cursorInvalid();
  return id;
};

export const auditRoutes =
  ({ database }: { database: Database }): Routes =>
  (server) => {
    server.get(
      '/api/audit',
      {
        config: { access: 'member' },
        schema: {
          tags: ['team'],
          summary: 'What was changed in the team, by whom, newest first',
          querystring: Type.Object(
            {
              limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
              cursor: Type.Optional(Type.String({ maxLength: 200 })),
            },
            { additionalProperties: false },
          ),
          response: { 200: Type.Object({ events: Type.Array(Event), nextCursor: NullableText }) },
        },
      },
      async (request) => {
        const { limit, cursor } = request.query;
        const found = await listAuditEvents(database, callerOf(request).teamId, decodeCursor(cursor), limit + 1);
        const page = found.slice(0, limit);
        const last = page.at(-1);
        return { events: page.map(toAnswer), nextCursor: found.length > limit && last ? encodeCursor(last.id) : null };
      },
    );
  };
