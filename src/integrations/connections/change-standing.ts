import type { Transaction } from '../../platform/index.ts';
import type { IntegrationsContext } from '../context.ts';
import type { Connection } from './connection.ts';
import { findTransition, toConnectionEvent } from './connection-event.ts';
import { type ConnectionChanges, changeConnection, getConnection } from './connection-store.ts';

type StandingContext = Pick<IntegrationsContext, 'database' | 'record' | 'clock' | 'catalogue' | 'url'>;

/**
 * Changes a connection like `changeConnection`, and records an event if its status changes. The row is locked before
 * its old status is read: if two requests notice the same problem at once, the second one finds the status already
 * changed, and records nothing.
 */
export const changeStandingIn = async (
  context: Omit<StandingContext, 'database'>,
  tx: Transaction,
  connection: Connection,
  changes: ConnectionChanges & Pick<Connection, 'status'>,
  leaseNumber: number | null = null,
): Promise<number> => {
  const before = await getConnection(tx, connection, 'for update');
  const changed = await changeConnection(tx, connection, changes, leaseNumber);
  const type = before && changed > 0 ? findTransition(before.status, changes.status) : null;
  if (before && type) await context.record(tx, await toConnectionEvent(context, tx, type, { ...before, ...changes }));
  return changed;
};

/**
 * Calls `changeStandingIn` in a transaction of its own. Changes without a status need neither an event nor a
 * transaction.
 */
export const changeStanding = async (
  context: StandingContext,
  connection: Connection,
  changes: ConnectionChanges,
  leaseNumber: number | null = null,
): Promise<number> => {
  const { database } = context;
  const { status } = changes;
  if (status === undefined) return changeConnection(database, connection, changes, leaseNumber);
  return database.transaction((tx) => changeStandingIn(context, tx, connection, { ...changes, status }, leaseNumber));
};

/** Changes a connection and gives its lease back. Does nothing if the caller no longer holds the lease. */
export const changeLeased = (
  context: StandingContext,
  connection: Connection,
  changes: ConnectionChanges,
): Promise<number> =>
  changeStanding(context, connection, { ...changes, leaseOwner: null, leaseUntil: null }, connection.leaseNumber);
