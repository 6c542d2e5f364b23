import type { Clock, Queries } from '../../platform/index.ts';
import { type UsedClient, wakeGivenUp } from '../connections/client-use-store.ts';

const PIECE = 500;
/** How long a connection that was woken and refused again is left alone, however many others come back meanwhile. */
const PAUSE_MS = 10 * 60_000;
const MOST_CLIENTS = 1_000;

/**
 * Connections that were refused for days are tried once a day. When one of them comes back, they may have shared the
 * reason, such as an operator's secret that is now fixed. So the others are tried now, not tomorrow.
 */
export const createConnectionWaker = ({ database, clock }: { database: Queries; clock: Clock }) => {
  const wokenAt = new Map<string, number>();

  return async (revived: UsedClient): Promise<void> => {
    const { provider, clientId, clientOf, authority } = revived;
    if (clientOf === 'team') return;
    const key = JSON.stringify([provider, clientId, authority]);
    const now = clock.now();
    const before = wokenAt.get(key);
    if (before !== undefined && now >= before && now - before < PAUSE_MS) return;
    if (wokenAt.size >= MOST_CLIENTS) wokenAt.clear();
    wokenAt.set(key, now);
    while ((await wakeGivenUp(database, revived, now, PIECE)) === PIECE);
  };
};
