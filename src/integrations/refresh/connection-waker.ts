import type { Clock, Queries } from '../../platform/index.ts';
import { type UsedClient, wakeGivenUp } from '../connections/client-use-store.ts';

const PIECE = 500;
/**
 * How long connections that were woken and refused again are left alone, however many others come back in the meantime.
 */
const PAUSE_MS = 10 * 60_000;
const MOST_CLIENTS = 1_000;

/**
 * Wakes connections that were refused for days, and that are tried only once a day. When one of them works again, the
 * others may have been refused for the same reason, such as an operator's secret that is now fixed. So the others are
 * tried now, not tomorrow.
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
