import type { Clock, Queries } from '../platform/index.ts';
import type { Connection } from './connection.ts';
import { hasClientWorked } from './connection-store.ts';

const DAY_MS = 24 * 3_600_000;
const FRESH_MS = 60_000;
const MOST_CLIENTS = 1_000;

/**
 * Which of the operator's clients have obtained tokens within the last day. The answer takes a look at every connection of
 * a provider, and where a client is refused they all ask: it is kept for a minute.
 */
export const createWorkingClients = ({ database, clock }: { database: Queries; clock: Clock }) => {
  const known = new Map<string, { at: number; works: Promise<boolean> }>();

  return async (connection: Pick<Connection, 'provider' | 'clientId' | 'clientOf' | 'authority'>): Promise<boolean> => {
    const { provider, clientId, clientOf, authority } = connection;
    if (clientOf === 'team') return false;
    const key = JSON.stringify([provider, clientId, authority]);
    const now = clock.now();
    const found = known.get(key);
    if (found && now >= found.at && now - found.at < FRESH_MS) return found.works;
    if (known.size >= MOST_CLIENTS) known.clear();
    const works = hasClientWorked(database, connection, now - DAY_MS);
    known.set(key, { at: now, works });
    works.catch(() => known.delete(key));
    return works;
  };
};
