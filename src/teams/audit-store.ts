import type { Queries } from '../platform/index.ts';

export type AuditActor = {
  kind: 'user' | 'operator' | 'command_line';
  userId: string | null;
  address: string | null;
  requestId: string | null;
};

export type AuditEvent = {
  id: string;
  at: number;
  actor: AuditActor['kind'];
  actorId: string | null;
  action: string;
  target: string | null;
  detail: string | null;
  address: string | null;
  requestId: string | null;
};

const COLUMNS = 'id, at, actor, actor_id as "actorId", action, target, detail, address, request_id as "requestId"';

export const insertAuditEvent = (queries: Queries, teamId: string | null, event: AuditEvent): Promise<number> =>
  queries.run(
    `insert into audit_events (id, team_id, at, actor, actor_id, action, target, detail, address, request_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      event.id,
      teamId,
      event.at,
      event.actor,
      event.actorId,
      event.action,
      event.target,
      event.detail,
      event.address,
      event.requestId,
    ],
  );

/** Newest first, those before the given id. Ids sort by time. */
export const listAuditEvents = (
  queries: Queries,
  teamId: string,
  beforeId: string,
  limit: number,
): Promise<AuditEvent[]> =>
  queries.all<AuditEvent>(
    `select ${COLUMNS} from audit_events where team_id = $1 and id < $2 order by id desc limit $3`,
    [teamId, beforeId, limit],
  );
