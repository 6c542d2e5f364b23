import { deleteRetries, listDueRetries } from '../attempts/retry-store.ts';
import type { EventsContext } from '../context.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { LogScope } from '../log/cursor.ts';
import { type Event, isErased } from '../log/event.ts';
import { toFilters } from '../log/event-filter.ts';
import { findEvent, listEventsIn } from '../log/follow-log.ts';
import { getLogEnds } from '../log/log-store.ts';
import type { HeldEndpoint } from './held-endpoint.ts';
import type { Pace } from './pace.ts';
import { finishReplay, updateRetryAt } from './progress-store.ts';
import type { FeedTracks, Track } from './track.ts';

/** How many events are read for each concurrent request. Few, because an event can have 20 KB. */
const READ_AHEAD = 2;

/** An event to send. `track` is null for a retry. */
export type Item = { event: Event; readAt: number; attempts: number; track: Track | null };

type ReaderContext = Pick<EventsContext, 'database' | 'clock'> & { holder: string };

type ReadFeed = {
  held: HeldEndpoint;
  tracks: FeedTracks;
  pace: Pace;
  /** IDs of events that are being sent, or whose result isn't stored yet. */
  underWay: ReadonlySet<string>;
};

export const scopeOf = ({ teamId, forOperator }: Endpoint): LogScope => (forOperator ? null : { teamId });

/** Reads the events that an endpoint gets next: due retries, new events, and replayed events. */
export const createFeedReader = (context: ReaderContext, { held, tracks, pace, underWay }: ReadFeed) => {
  const { database, clock, holder } = context;
  let hasMore = false;

  const readAhead = (): number => READ_AHEAD * pace.width;

  const readRetries = async (): Promise<Item[]> => {
    const items: Item[] = [];
    const now = clock.now();
    const endpoint = held.current;
    if (endpoint.retryAt === null || endpoint.retryAt > now) return items;
    // Before listing, remember which events are being sent. If a result is stored meanwhile, its event is no longer in
    // `underWay` but may still be listed, and must not be sent again.
    const before = new Set(underWay);
    for (const { eventId, attempts } of await listDueRetries(database, endpoint.id, now, readAhead())) {
      if (before.has(eventId) || underWay.has(eventId)) continue;
      const event = await findEvent(context, scopeOf(endpoint), eventId);
      if (event && !isErased(event)) items.push({ event, readAt: performance.now(), attempts, track: null });
      else await database.transaction((tx) => deleteRetries(tx, [{ endpointId: endpoint.id, eventId }]));
    }
    hasMore ||= items.length > 0;
    if (items.length === 0 && underWay.size === 0) {
      await updateRetryAt(database, endpoint.id);
      held.outdate();
    }
    return items;
  };

  const readTrack = async (track: Track, upTo: number): Promise<Item[]> => {
    const items: Item[] = [];
    const endpoint = held.current;
    while (items.length === 0 && track.read < upTo) {
      const limit = readAhead();
      const range = { after: track.read, upTo, limit, filters: toFilters(endpoint.types) };
      const found = await listEventsIn(context, scopeOf(endpoint), range);
      const wanted = found.filter((event) => !isErased(event));
      hasMore ||= found.length === limit;
      const end = found.length < limit ? upTo : (found.at(-1)?.position ?? upTo);
      track.advance(
        end,
        wanted.map(({ position }) => position),
      );
      items.push(...wanted.map((event) => ({ event, readAt: performance.now(), attempts: 0, track })));
    }
    return items;
  };

  return {
    /** Whether another read may find more events. */
    get hasMore(): boolean {
      return hasMore;
    },
    async read(): Promise<Item[]> {
      hasMore = false;
      const { position: end } = await getLogEnds(database);
      const replay = tracks.replay ? await readTrack(tracks.replay, held.current.replayUntil ?? 0) : [];
      return [...(await readRetries()), ...(await readTrack(tracks.main, end)), ...replay];
    },
    /** Ends a replay if there's nothing left to send. If there is, storing the last result ends it. */
    async endReplay(): Promise<void> {
      const { replayUntil } = held.current;
      if (!tracks.replay || replayUntil === null || tracks.replay.toldIf(new Set()) < replayUntil) return;
      await finishReplay(database, held.current, holder);
      // Remove the track now, because the next replay may begin before the endpoint is read again.
      tracks.replay = null;
      held.outdate();
    },
  };
};
