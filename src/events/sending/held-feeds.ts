import type { Endpoint } from '../endpoints/endpoint.ts';
import { createFeed, type Feed, type FeedContext } from './feed.ts';
import { HOLD_MS, holdEndpoints, keepHolding, releaseEndpoints } from './holding-store.ts';

/** How many endpoints are read or written in one query. */
const PIECE = 200;
/** If there is nothing to send for this long, the endpoint is released, so that any process can hold it next. */
const IDLE_MS = 10_000;

const inPieces = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / PIECE) }, (_, index) =>
    items.slice(index * PIECE, (index + 1) * PIECE),
  );

/** The feeds of the endpoints that this process holds. No other process sends to these endpoints. */
export const createHeldFeeds = (context: FeedContext) => {
  const { database, clock, holder } = context;
  const entries = new Map<string, { feed: Feed; restingSince: number }>();
  let keptAt = Number.NEGATIVE_INFINITY;
  let hasEnded = false;

  const add = (endpoint: Endpoint): Feed => {
    const { id } = endpoint;
    const entry = { feed: createFeed(context, endpoint, () => onRest()), restingSince: performance.now() };
    const onRest = (): void => {
      entry.restingSince = performance.now();
      if (entry.feed.hasEnded) entries.delete(id);
    };
    entries.set(id, entry);
    return entry.feed;
  };

  const list = (): Feed[] => [...entries.values()].map(({ feed }) => feed);

  const release = async (feeds: readonly Feed[]): Promise<void> => {
    for (const { id } of feeds) entries.delete(id);
    for (const piece of inPieces(feeds))
      await releaseEndpoints(
        database,
        piece.map(({ id, toldUpTo }) => ({ id, position: toldUpTo })),
        holder,
      );
  };

  return {
    list,
    /** Wakes the feeds of these endpoints. If no process holds an endpoint, this process does from now on. */
    async wake(ids: readonly string[]): Promise<void> {
      for (const id of ids) entries.get(id)?.feed.wake();
      for (const piece of inPieces(ids.filter((id) => !entries.has(id)))) {
        if (hasEnded) return;
        for (const endpoint of await holdEndpoints(database, piece, holder, clock.now())) add(endpoint).wake();
      }
    },
    outdate(id: string): void {
      entries.get(id)?.feed.outdate();
    },
    /** Extends the hold on this process's endpoints. */
    async keep(): Promise<void> {
      if (performance.now() - keptAt < HOLD_MS / 3) return;
      keptAt = performance.now();
      for (const ids of inPieces([...entries.keys()])) await keepHolding(database, ids, holder, clock.now());
    },
    async releaseIdle(): Promise<void> {
      const idleSince = performance.now() - IDLE_MS;
      const idle = [...entries.values()].filter(({ feed, restingSince }) => feed.isIdle && restingSince <= idleSince);
      await release(idle.map(({ feed }) => feed));
    },
    /** From now on, this process takes no more endpoints. */
    stopHolding(): void {
      hasEnded = true;
    },
    /** Ends all feeds. Resolves when no request is in progress. */
    async end(): Promise<void> {
      await Promise.all(list().map((feed) => feed.end()));
    },
    releaseAll: (): Promise<void> => release(list()),
  };
};

export type HeldFeeds = ReturnType<typeof createHeldFeeds>;
