import type { ConnectionStatus } from './connection.ts';
import { listConnected, type StatusContext } from './status.ts';

export const countConnections = async (
  context: StatusContext,
  teamId: string,
): Promise<Record<ConnectionStatus, number>> => {
  const counts = { connected: 0, degraded: 0, needs_reconnect: 0 };
  for (const { status } of await listConnected(context, teamId)) counts[status] += 1;
  return counts;
};
