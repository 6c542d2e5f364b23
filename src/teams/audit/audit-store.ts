import {
  deleteInPieces,
  firstIdAt,
  type InsertTarget,
  insertRow,
  type Queries,
  type Value,
} from '../../platform/index.ts';

export type AuditActor = {
  kind: 'user' | 'operator' | 'command_line' | 'service';
  userId: string | null;
  address: string | null;
  requestId: string | null;
  /** The session or access token that was used, if any. */
  sessionId?: string | undefined;
  tokenId?: string | undefined;
  tokenName?: string | undefined;
  /** The name of the restricted token that was used, if one was. */
  restrictedToken?: string | undefined;
  /** True if the operator's own token was used. `userId` is then the first team's admin, as whom the token acts. */
  viaAdminToken?: boolean;
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

/** The columns of an event with their types, in the order of `auditRow`. */
export const AUDIT_EVENTS: InsertTarget = {
  table: 'audit_events',
  columns: {
    id: 'text',
    team_id: 'text',
    at: 'bigint',
    actor: 'text',
    actor_id: 'text',
    action: 'text',
    target: 'text',
    detail: 'text',
    address: 'text',
    request_id: 'text',
  },
  id: 'id',
  onConflict: 'fail',
};

export const auditRow = (teamId: string | null, event: AuditEvent): Value[] => {
  const { id, at, actor, actorId, action, target, detail, address, requestId } = event;
  return [id, teamId, at, actor, actorId, action, target, detail, address, requestId];
};

export const insertAuditEvent = (queries: Queries, teamId: string | null, event: AuditEvent): Promise<number> =>
  insertRow(queries, 'audit_events', { teamId, ...event });

/**
 * Deletes entries about this action and target that have the actor `service`, from `since` on. Returns how many times
 * the action happened: one entry may stand for several times.
 */
export const takeServiceEvents = async (
  queries: Queries,
  teamId: string,
  { action, target }: Pick<AuditEvent, 'action' | 'target'>,
  since: number,
): Promise<number> => {
  const taken = await queries.all<{ detail: string | null }>(
    `delete from audit_events
      where team_id = $1 and action = $2 and target = $3 and actor = 'service' and id >= $4 returning detail`,
    [teamId, action, target, firstIdAt(since)],
  );
  return taken.reduce((sum, { detail }) => sum + (detail === null ? 1 : Number(JSON.parse(detail).times)), 0);
};

const PIECE = 200;

/**
 * Removes everything from a team's entries except what happened, when, and the kind of actor. The entries no longer
 * name the team, but are kept for the operator.
 */
export const anonymizeAudit = async (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<void> => {
  const anonymizePiece = () =>
    queries.run(
      `update audit_events set team_id = null, actor_id = null, target = null, detail = null, address = null,
        request_id = null where id in (select id from audit_events where team_id = $1 limit ${PIECE})`,
      [teamId],
    );
  while ((await anonymizePiece()) === PIECE) await pace();
};

/** Deletes old entries of all teams. */
export const deleteAuditBefore = (queries: Queries, before: number): Promise<number> =>
  deleteInPieces(queries, { from: 'audit_events', key: 'id', where: 'id < $1' }, [firstIdAt(before)]);
