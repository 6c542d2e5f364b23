import type { FastifyRequest } from 'fastify';
import type { Clock, NewId, Queries } from '../platform/index.ts';
import { type AuditActor, insertAuditEvent } from './audit-store.ts';

/** What happened, in the product's words. A detail holds names and numbers, never a secret. */
export type AuditEntry = { action: string; target?: string; detail?: Record<string, unknown> };

export const COMMAND_LINE: AuditActor = { kind: 'command_line', userId: null, address: null, requestId: null };

/** Who did it: the caller, or the operator where the route is one of the operator's doors. */
export const actorOf = ({ caller, ip, id }: FastifyRequest): AuditActor => ({
  kind: caller ? 'user' : 'operator',
  userId: caller?.userId ?? null,
  address: ip,
  requestId: id,
});

/** In the transaction of the change itself: there is no change without its entry. */
export const recordAudit = async (
  { clock, newId }: { clock: Clock; newId: NewId },
  queries: Queries,
  teamId: string | null,
  actor: AuditActor,
  { action, target, detail }: AuditEntry,
): Promise<void> => {
  await insertAuditEvent(queries, teamId, {
    id: newId(),
    at: clock.now(),
    actor: actor.kind,
    actorId: actor.userId,
    action,
    target: target ?? null,
    detail: detail ? JSON.stringify(detail) : null,
    address: actor.address,
    requestId: actor.requestId,
  });
};
