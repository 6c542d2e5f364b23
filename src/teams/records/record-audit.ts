import type { FastifyRequest } from 'fastify';
import { createGroupWriter, type Queries } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import {
  AUDIT_EVENTS,
  type AuditActor,
  type AuditEvent,
  auditRow,
  insertAuditEvent,
  takeServiceEvents,
} from './audit-store.ts';
import { formatAuditDetail } from './format-audit-detail.ts';

const DAY_MS = 24 * 3_600_000;

/** What happened, in the product's words. A detail contains names and numbers, never a secret. */
type AuditEntry = { action: string; target?: string; detail?: Record<string, unknown> };

export const COMMAND_LINE: AuditActor = { kind: 'command_line', userId: null, address: null, requestId: null };

/** What the service does on its own, as the team has set it up. */
export const SERVICE: AuditActor = { kind: 'service', userId: null, address: null, requestId: null };

/** Who did it: the caller, or the operator if the credential is the operator's. */
export const actorOf = ({ caller, ip, id }: FastifyRequest): AuditActor => ({
  kind: caller && caller.via !== 'operator' ? 'user' : 'operator',
  userId: caller?.userId ?? null,
  address: ip,
  requestId: id,
});

/** The same for a request whose session is not the caller's: a page that checks its own cookie. */
export const sessionActor = ({ ip, id }: FastifyRequest, { userId }: { userId: string }): AuditActor => ({
  ...{ kind: 'user', userId, address: ip, requestId: id },
});

const toEvent = (
  { clock, newId }: Pick<TeamsContext, 'clock' | 'newId'>,
  actor: AuditActor,
  { action, target, detail }: AuditEntry,
): AuditEvent => ({
  id: newId(),
  at: clock.now(),
  actor: actor.kind,
  actorId: actor.userId,
  action,
  target: target ?? null,
  detail: detail ? formatAuditDetail(detail) : null,
  address: actor.address,
  requestId: actor.requestId,
});

/** In the transaction of the change itself, so that there's no change without its entry. */
export const recordAudit = async (
  context: Pick<TeamsContext, 'clock' | 'newId'>,
  queries: Queries,
  teamId: string | null,
  actor: AuditActor,
  entry: AuditEntry,
): Promise<void> => {
  await insertAuditEvent(queries, teamId, toEvent(context, actor, entry));
};

/**
 * For what someone without a credential can flip back and forth: one entry a day (UTC) for each target, with the time
 * of the last change and how many there were. So the newest entry always shows the current state.
 */
export const recordAuditOnceADay = async (
  context: Pick<TeamsContext, 'clock' | 'newId'>,
  queries: Queries,
  teamId: string,
  { action, target }: { action: string; target: string },
): Promise<void> => {
  const now = context.clock.now();
  const before = await takeServiceEvents(queries, teamId, { action, target }, now - (now % DAY_MS));
  const detail = before === 0 ? {} : { detail: { times: before + 1 } };
  await recordAudit(context, queries, teamId, SERVICE, { action, target, ...detail });
};

/** For frequent events that change nothing. Many entries share a commit. On disk when it resolves. */
export const createAuditLog = (context: Pick<TeamsContext, 'database' | 'clock' | 'newId'>) => {
  const writer = createGroupWriter(context.database);
  return async (teamId: string, actor: AuditActor, entry: AuditEntry): Promise<void> => {
    await writer.insert(AUDIT_EVENTS, auditRow(teamId, toEvent(context, actor, entry)));
  };
};

export type AuditLog = ReturnType<typeof createAuditLog>;
