import type { Queries, Transaction } from '../../platform/index.ts';
import { getUserWhoBegan, lockUserWhoBegan } from '../../teams/index.ts';
import type { Connection } from '../connections/connection.ts';
import { getConnection } from '../connections/connection-store.ts';
import { isBoundTo } from '../proxy/allowed/bind-allowed.ts';
import type { Approval } from './approval.ts';
import type { ApprovalsContext } from './context.ts';

type Finding = Pick<ApprovalsContext, 'catalogue' | 'clock'>;

const CONNECTION_CHANGED = 'The connection was removed, or it is now for another account or site.';
const CONTAINED = 'Access to the account is stopped, because something may have leaked.';
const TOKEN_ENDED = 'The token has ended, or its user is no longer an admin.';
const APPROVER_LEFT = 'The admin who approved it is no longer an admin, or their session or token has ended.';

/** Whether a connection is still the one that the request was made for, with the same account and site. */
const isSame = ({ catalogue }: Finding, { account, provider }: Approval, connection: Connection): boolean => {
  const api = catalogue.get(provider)?.record.api;
  return api ? connection.id === account.connectionId && isBoundTo(account, connection, api) : false;
};

/** Says in a sentence why a connection may not be used for the request. Null if it may. */
export const objectTo = (context: Finding, approval: Approval, connection: Connection | undefined): string | null => {
  if (!connection || !isSame(context, approval, connection)) return CONNECTION_CHANGED;
  return connection.containedBy === null ? null : CONTAINED;
};

type Reading = {
  lock: '' | 'for update';
  /** Finds the user who did something, and checks whether they still may. */
  findUser: typeof getUserWhoBegan;
};

const findObjectionWith = async (
  context: Finding,
  queries: Queries,
  approval: Approval,
  { lock, findUser }: Reading,
): Promise<string | null> => {
  const { teamId, provider, connection: name, userId, tokenId, byOperator } = approval;
  const now = context.clock.now();
  const changed = objectTo(context, approval, await getConnection(queries, { teamId, provider, name }, lock));
  if (changed !== null) return changed;
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
export const findObjection = (context: Finding, queries: Queries, approval: Approval): Promise<string | null> =>
  findObjectionWith(context, queries, approval, { lock: '', findUser: getUserWhoBegan });

/**
 * Like `findObjection`. Locks the connection, and then the users, their sessions, and their tokens, so that the answer
 * holds until the commit.
 */
export const lockObjection = (context: Finding, tx: Transaction, approval: Approval): Promise<string | null> =>
  findObjectionWith(context, tx, approval, {
    lock: 'for update',
    findUser: (_, ...rest) => lockUserWhoBegan(tx, ...rest),
  });
