import type { Routes } from '../../http/index.ts';
import { Type, toIso } from '../../platform/index.ts';
import { addTeamList } from '../records/add-team-list.ts';
import type { Audit } from './audit.ts';
import type { ListedEvent } from './audit-store.ts';

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

export const auditRoutes =
  (audit: Audit): Routes =>
  (server) => {
    addTeamList(server, '/api/audit', {
      summary: 'List who changed what in the team, newest first',
      name: 'events',
      view: EventView,
      read: (caller, query) => audit.list(caller, query),
      toView: toEventView,
    });
  };
