import type { Connection } from '../connections/connection.ts';

/** A provider's word that access to an account was withdrawn. */
export type Withdrawal = {
  accountId: string;
  /** When, or the end of that second if the provider doesn't say it more precisely. */
  at: number;
  /** What was kept of a connection → what it must be one of. */
  only: ReadonlyMap<string, ReadonlySet<string>>;
};

/** What decides whether a connection is meant. */
export type Held = Pick<
  Connection,
  'accountId' | 'clientId' | 'clientOf' | 'connectedAt' | 'details' | 'status' | 'refreshDueAt'
>;

/** The account decides where the connection doesn't know more, such as one from before anything was kept. */
const isOneOf = ({ details }: Held, only: Withdrawal['only']): boolean =>
  [...only].every(([name, values]) => {
    const kept = Object.hasOwn(details, name) ? details[name] : undefined;
    return kept === undefined ? values.size > 0 : values.has(kept);
  });

/**
 * Whether it ends a connection: one of the operator's client, to that account, made before it, and not ended yet. So
 * the same message again, or an older one after a reconnect, changes nothing.
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
