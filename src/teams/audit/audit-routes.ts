import { callerOf, type Routes } from '../../http/index.ts';
import { type Database, NextCursor, PageQuery, Type, toIso } from '../../platform/index.ts';
import type { AuditEvent } from '../records/audit-store.ts';
import { listAudit } from './list-audit.ts';

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

export const auditRoutes =
  (dependencies: { database: Database }): Routes =>
  (server) => {
    server.get(
      '/api/audit',
      {
        config: { access: 'member' },
        schema: {
          tags: ['team'],
          summary: 'List who changed what in the team, newest first',
          querystring: PageQuery,
          response: { 200: Type.Object({ events: Type.Array(Event), nextCursor: NextCursor }) },
        },
      },
      async (request) => {
        const { events, nextCursor } = await listAudit(dependencies, callerOf(request).teamId, request.query);
        return { events: events.map(toAnswer), nextCursor };
      },
    );
  };
