import { DatabaseUnavailable } from '../../platform/index.ts';
import { isAccepted, type SendAttempt } from '../attempts/attempt.ts';
import { sendEvent } from '../attempts/send-event.ts';
import type { EventsContext } from '../context.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { LogScope } from '../log/cursor.ts';
import { isErased } from '../log/event.ts';
import { type EventView, toEventView } from '../log/event-view.ts';
import { findEvent } from '../log/follow-log.ts';
import { type Item, scopeOf } from './feed-reader.ts';
import type { HeldEndpoint } from './held-endpoint.ts';
import type { Pace } from './pace.ts';
import type { RequestTurn } from './request-turns.ts';
import type { FeedTracks } from './track.ts';

/** How many results may wait to be stored. After a crash, up to this many events are sent twice. */
const MOST_UNSTORED = 200;
/** An event that was read longer ago than this is read again before it's sent, because it may have been erased. */
const FRESH_MS = 2_000;
/** A request that takes longer than this is slow, and no longer keeps others from starting (`stepAside`). */
const PROMPT_MS = 500;

const UNREADABLE = { status: null, durationMs: 0, error: 'The event could not be opened.', retryAfterMs: null };

export type RequestsContext = Pick<EventsContext, 'database' | 'vault' | 'clock' | 'log' | 'forwarder'> & {
  /** Stores a result. Resolves after it's stored. */
  store(feed: { endpoint: Endpoint; tracks: FeedTracks }, item: Item, attempt: SendAttempt): Promise<void>;
};

type SendingFeed = {
  held: HeldEndpoint;
  tracks: FeedTracks;
  pace: Pace;
  /** Aborted when the feed ends. */
  ending: AbortSignal;
  /** Returns an event to the queue, because it couldn't be sent. */
  giveBack(item: Item): void;
};

/** Decrypts an event to send it. Reads the event again if it was read a while ago. */
const prepareEvent = async (
  context: Pick<EventsContext, 'database' | 'vault' | 'log'>,
  scope: LogScope,
  { event, readAt }: Item,
): Promise<EventView | 'erased' | 'unreadable'> => {
  const isFresh = performance.now() - readAt < FRESH_MS;
  const found = isFresh ? event : await findEvent(context, scope, event.id);
  if (!found || isErased(found)) return 'erased';
  try {
    return await toEventView(context.vault, found);
  } catch (err) {
    if (err instanceof DatabaseUnavailable) throw err;
    context.log.warn({ err, event: event.id }, 'an event could not be opened');
    return 'unreadable';
  }
};

/** The requests to one endpoint. Each begins with an event and ends when its result is stored. */
export const createFeedRequests = (context: RequestsContext, { held, tracks, pace, ending, giveBack }: SendingFeed) => {
  const { clock, log } = context;
  const { id } = held.current;
  const underWay = new Set<string>();
  let openRequests = 0;
  let change = Promise.withResolvers<void>();

  const announceChange = (): void => {
    change.resolve();
    change = Promise.withResolvers();
  };

  /** Sends an event. Ends `turn` only when the whole response has arrived. Null if the event was erased. */
  const request = async (item: Item, turn: RequestTurn): Promise<SendAttempt | null> => {
    const late = setTimeout(turn.stepAside, PROMPT_MS).unref();
    let isClosed = false;
    const close = (): void => {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(late);
      turn.end();
      openRequests--;
      announceChange();
    };
    try {
      const prepared = await prepareEvent(context, scopeOf(held.current), item);
      if (typeof prepared === 'object') return await sendEvent(context, { id, ...held.destination }, prepared, close);
      close();
      // An event that can't be opened is recorded as a failed attempt, so that later events don't wait for it.
      return prepared === 'erased' ? null : { ...UNREADABLE, at: clock.now() };
    } catch (err) {
      close();
      throw err;
    }
  };

  const send = async (item: Item, turn: RequestTurn): Promise<void> => {
    const attempt = await request(item, turn);
    if (attempt) {
      if (isAccepted(attempt)) pace.onAccepted();
      else pace.onFailed();
      // The request failed because the service is stopping. The event is sent again after the next start.
      if (ending.aborted && !isAccepted(attempt)) return;
      await context.store({ endpoint: held.current, tracks }, item, attempt);
    }
    item.track?.end(item.event.position);
  };

  return {
    /** IDs of events that are being sent, or whose result isn't stored yet. */
    underWay: underWay as ReadonlySet<string>,
    isBusy: (): boolean => openRequests >= pace.width || underWay.size >= MOST_UNSTORED,
    /** Resolves at the next response or stored result, or when `announceChange` is called. */
    whenChanged: (): Promise<void> => change.promise,
    announceChange,
    start(item: Item, turn: RequestTurn): void {
      underWay.add(item.event.id);
      openRequests++;
      send(item, turn)
        .catch((err) => {
          log.warn({ err, endpoint: id }, 'an event could not be sent yet');
          pace.onFailed();
          // A retry isn't given back. It's still due in the database, so it's read from there again.
          if (item.track) giveBack(item);
        })
        .finally(() => {
          underWay.delete(item.event.id);
          announceChange();
        });
    },
  };
};
