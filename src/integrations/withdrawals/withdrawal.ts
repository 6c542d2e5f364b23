import type { Connection } from '../connections/connection.ts';

/** A provider's message that access to an account was withdrawn. */
export type Withdrawal = {
  accountId: string;
  /** When access was withdrawn, or the end of that second if the provider isn't more precise. */
  at: number;
  /** The name of a value kept with a connection → the values that it must be among. */
  only: ReadonlyMap<string, ReadonlySet<string>>;
};

/** The fields that decide whether a connection is meant. */
export type Held = Pick<
  Connection,
  'accountId' | 'clientId' | 'clientOf' | 'connectedAt' | 'details' | 'status' | 'refreshDueAt'
>;

/**
 * Whether a connection's kept values are among those of the withdrawal. If a connection has no such value, because it
 * was made before such values were kept, its account alone decides.
 */
const isOneOf = ({ details }: Held, only: Withdrawal['only']): boolean =>
  [...only].every(([name, values]) => {
    const kept = Object.hasOwn(details, name) ? details[name] : undefined;
    return kept === undefined ? values.size > 0 : values.has(kept);
  });

/**
 * Whether a withdrawal ends a connection. The connection must use the operator's client, be for that account, be made
 * before the withdrawal, and not have ended yet. So the same message again, or an older one after a reconnect, changes
 * nothing.
 */
export const endsConnection = (
  { accountId, at, only }: Withdrawal,
  operatorClientId: string,
  connection: Held,
): boolean => {
  const { clientId, clientOf, connectedAt, status, refreshDueAt } = connection;
  const hasEnded = status === 'needs_reconnect' && refreshDueAt === null;
  return (
    clientOf === 'operator' &&
    clientId === operatorClientId &&
    connection.accountId === accountId &&
    connectedAt <= at &&
    !hasEnded &&
    isOneOf(connection, only)
  );
};
