import type { App } from '../../src/app.ts';
import { insertConnection } from '../../src/integrations/connections/connection-store.ts';
import { plainConnection } from './plain-connection.ts';

/** A provider whose entry says how calls are logged. */
export const LOGGING_PROVIDER = 'hubspot-key';

/** Adds a connection of a team, and a call that its provider refused to log. Returns the call's ID. */
export const addUnloggedCall = async (
  { database, newId }: Pick<App, 'database' | 'newId'>,
  holder: { teamId: string; connectedBy: string },
): Promise<string> => {
  const [connectionId, callId] = [newId(), newId()];
  const name = `c${connectionId.slice(-8)}`;
  await database.run('delete from connections where team_id = $1 and provider = $2', [holder.teamId, LOGGING_PROVIDER]);
  await insertConnection(database, plainConnection(holder, { id: connectionId, provider: LOGGING_PROVIDER, name }));
  await database.run(
    `insert into call_logs (call_id, connection_id, team_id, position, state, changed_at)
      values ($1, $2, $3, 1, 'refused', 1)`,
    [callId, connectionId, holder.teamId],
  );
  return callId;
};
