import type { Clock, Queries } from '../../platform/index.ts';
import { type UsedClient, wakeGivenUp } from '../connections/client-use-store.ts';

const PIECE = 500;
/** The minimum time between two wake-ups of the same client's connections, however many of them start to work again. */
const PAUSE_MS = 10 * 60_000;
const MOST_CLIENTS = 1_000;

/**
 * Wakes connections of the operator's client that were refused for days, and so are tried only once a day. When one of
 * them works again, the others may have been refused for the same reason, such as a wrong secret that is now fixed.
 * They are tried now, not tomorrow.
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
