import type { EventType, NewEvent } from '../../events/index.ts';
import type { Queries } from '../../platform/index.ts';
import type { User } from '../../teams/index.ts';
import type { IntegrationsContext } from '../context.ts';
import type { Connection, ConnectionStatus } from './connection.ts';
import { describeConnection, describeDisconnected } from './status.ts';

type EventContext = Pick<IntegrationsContext, 'clock' | 'catalogue' | 'url'>;

/** The event for a change of status. Null if the status stays the same. */
export const findTransition = (before: ConnectionStatus, after: ConnectionStatus): EventType | null => {
  if (before === after) return null;
  return after === 'connected' ? 'connection.recovered' : `connection.${after}`;
};

/**
 * Builds an event. `connection` has its values after the change. `starter` is the user who connected it, if already
 * read.
 */
export const toConnectionEvent = async (
  context: EventContext,
  queries: Queries,
  type: EventType,
  connection: Connection,
  starter: User | null = null,
): Promise<NewEvent> => {
  const entry =
    type === 'connection.disconnected'
      ? describeDisconnected(context, connection)
      : await describeConnection(context, queries, connection, starter);
  const { teamId, id: subject } = connection;
  return { teamId, type, subject, data: { ...entry, url: `${context.url}/api/integrations/status` } };
};
