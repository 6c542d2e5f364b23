import type { Clock, Queries } from '../../platform/index.ts';
import { type ClientUse, getClientUse, type UsedClient } from '../connections/client-use-store.ts';
import type { ClientStanding } from '../connections/repeated-refusal.ts';

const DAY_MS = 24 * 3_600_000;
const FRESH_MS = 60_000;
const MOST_CLIENTS = 1_000;

/**
 * Finds out whether the operator's clients work. This reads all of a provider's connections, and a rejected client
 * causes one check for each of its connections. So the result is cached for a minute.
 */
export const createClientStandings = ({ database, clock }: { database: Queries; clock: Clock }) => {
  const known = new Map<string, { at: number; use: Promise<ClientUse> }>();

  const findUse = (provider: string, clientId: string, authority: string | null): Promise<ClientUse> => {
    const key = JSON.stringify([provider, clientId, authority]);
    const now = clock.now();
    const found = known.get(key);
    if (found && now >= found.at && now - found.at < FRESH_MS) return found.use;
    if (known.size >= MOST_CLIENTS) known.clear();
    const use = getClientUse(database, { provider, clientId, authority }, now);
    known.set(key, { at: now, use });
    use.catch(() => known.delete(key));
    return use;
  };

  const hasWorked = ({ lastWorkedAt }: ClientUse): boolean =>
    lastWorkedAt !== null && lastWorkedAt > clock.now() - DAY_MS;

  return async ({ provider, clientId, clientOf, authority }: UsedClient): Promise<ClientStanding> => {
    if (clientOf === 'team') return 'alone';
    const here = await findUse(provider, clientId, authority);
    if (here.connections > 1) return hasWorked(here) ? 'works' : 'unproven';
    const anywhere = await findUse(provider, clientId, null);
    if (anywhere.connections <= 1) return 'alone';
    return hasWorked(anywhere) ? 'works_elsewhere' : 'unproven';
  };
};
