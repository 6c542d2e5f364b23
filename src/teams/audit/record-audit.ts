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

/** `action` says what happened, in the product's words. `detail` contains names and numbers, never a secret. */
type AuditEntry = { action: string; target?: string; detail?: Record<string, unknown> };

export const COMMAND_LINE: AuditActor = { kind: 'command_line', userId: null, address: null, requestId: null };

/** The actor for changes that the service makes on its own, according to the team's settings. */
export const SERVICE: AuditActor = { kind: 'service', userId: null, address: null, requestId: null };

/** The actor of a request: the caller, or the operator if the credential is the operator's. */
export const actorOf = ({ caller, ip, id }: FastifyRequest): AuditActor => ({
  kind: caller && caller.via !== 'operator' ? 'user' : 'operator',
  userId: caller?.userId ?? null,
  address: ip,
  requestId: id,
  sessionId: caller?.sessionId,
  tokenId: caller?.tokenId,
  tokenName: caller?.tokenName,
  restrictedToken: caller?.restriction && caller.tokenName,
  viaAdminToken: caller?.via === 'admin_token',
});

/** The actor of a request from a page that checks its own cookie. The request has no caller. */
export const sessionActor = ({ ip, id }: FastifyRequest, { userId }: { userId: string }): AuditActor => ({
  ...{ kind: 'user', userId, address: ip, requestId: id },
});

/** Names the restricted token that was used, because it isn't the person who acts. */
const formatDetail = ({ restrictedToken }: AuditActor, detail: AuditEntry['detail']): string | null => {
  const whole = restrictedToken === undefined ? detail : { ...detail, token: restrictedToken };
  return whole ? formatAuditDetail(whole) : null;
};

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
  detail: formatDetail(actor, detail),
  address: actor.address,
  requestId: actor.requestId,
});

/** Records an entry. Call this in the transaction of the change, so that there's no change without its entry. */
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
 * Records a change that a person without a credential can make and undo again and again. Keeps one entry a day (UTC)
 * per target, with the time of the last change and the number of changes. The newest entry always shows the current
 * state.
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

/** Records frequent events that change nothing. Several entries share a commit. Resolves when the entry is on disk. */
export const createAuditLog = (context: Pick<TeamsContext, 'database' | 'clock' | 'newId'>) => {
  const writer = createGroupWriter(context.database);
  return async (teamId: string, actor: AuditActor, entry: AuditEntry): Promise<void> => {
    await writer.insert(AUDIT_EVENTS, auditRow(teamId, toEvent(context, actor, entry)));
  };
};

export type AuditLog = ReturnType<typeof createAuditLog>;
