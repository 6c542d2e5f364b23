import type { Queries, Transaction } from '../../platform/index.ts';
import { getUserWhoBegan, lockUserWhoBegan } from '../../teams/index.ts';
import { getConnection } from '../connections/connection-store.ts';
import { isBoundTo } from '../proxy/allowed/bind-allowed.ts';
import type { Approval } from './approval.ts';
import type { ApprovalsContext } from './context.ts';

type Finding = Pick<ApprovalsContext, 'catalogue' | 'clock'>;

const CONNECTION_CHANGED = 'The connection was removed, or it is now for another account or site.';
const TOKEN_ENDED = 'The token has ended, or its user is no longer an admin.';
const APPROVER_LEFT = 'The admin who approved it is no longer an admin, or their session or token has ended.';

/** Finds the user who did something, and checks whether they still may. */
type FindUser = typeof getUserWhoBegan;

const findObstacleWith = async (
  { catalogue, clock }: Finding,
  queries: Queries,
  approval: Approval,
  findUser: FindUser,
): Promise<string | null> => {
  const { teamId, provider, connection: name, account, userId, tokenId, byOperator } = approval;
  const now = clock.now();
  const connection = await getConnection(queries, { teamId, provider, name });
  const api = catalogue.get(provider)?.record.api;
  const isSame = connection?.id === account.connectionId && api && isBoundTo(account, connection, api);
  if (!isSame) return CONNECTION_CHANGED;
  const asked = { begunAt: approval.requestedAt, sessionId: null, tokenId };
  const asker = await findUser(queries, { teamId, userId }, asked, now);
  if (!asker || (asker.role !== 'admin' && !byOperator)) return TOKEN_ENDED;
  const { decidedBy, decidedWith, decidedAt } = approval;
  // The operator needs no user.
  if (decidedBy === null || decidedWith === null || decidedAt === null) return null;
  const approver = await findUser(queries, { teamId, userId: decidedBy }, { begunAt: decidedAt, ...decidedWith }, now);
  return approver?.role === 'admin' ? null : APPROVER_LEFT;
};

/** Says in a sentence why an approved request may not be sent. Null if it may. */
export const findObstacle = (context: Finding, queries: Queries, approval: Approval): Promise<string | null> =>
  findObstacleWith(context, queries, approval, getUserWhoBegan);

/** Like `findObstacle`. Locks the users, their sessions, and their tokens, so that the answer holds until the commit. */
export const lockObstacle = (context: Finding, tx: Transaction, approval: Approval): Promise<string | null> =>
  findObstacleWith(context, tx, approval, (_, ...rest) => lockUserWhoBegan(tx, ...rest));
