import type { Connection } from '../connections/connection.ts';

/** A provider's message that access to an account was withdrawn. */
export type Withdrawal = {
  accountId: string;
  /** When access was withdrawn. If the provider sends only whole seconds, the end of that second. */
  at: number;
  /** Maps names of kept values to the values that the withdrawal is limited to. */
  only: Readonly<Record<string, readonly string[]>>;
};

/** The fields that decide whether a withdrawal is about a connection. */
export type Held = Pick<
  Connection,
  'accountId' | 'clientId' | 'clientOf' | 'connectedAt' | 'details' | 'status' | 'refreshDueAt'
>;

/**
 * Whether a connection's kept values are among those of the withdrawal. For a connection that was made before the value
 * was kept, its account alone decides, unless the message names no values.
 */
const isOneOf = ({ details }: Held, only: Withdrawal['only']): boolean =>
  Object.entries(only).every(([name, values]) => {
    const kept = Object.hasOwn(details, name) ? details[name] : undefined;
    return kept === undefined ? values.length > 0 : values.includes(kept);
  });

/**
 * Whether a withdrawal ends a connection. The connection must use the operator's client, be for that account, be older
 * than the withdrawal, and not have ended yet. So a repeated message, or an older one after a reconnect, changes
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
