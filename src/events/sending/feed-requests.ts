import { isAccepted, type SendAttempt } from '../attempts/attempt.ts';
import { prepareEvent } from '../attempts/prepare-event.ts';
import { sendEvent } from '../attempts/send-event.ts';
import type { EventsContext } from '../context.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { type Item, scopeOf } from './feed-reader.ts';
import type { HeldEndpoint } from './held-endpoint.ts';
import type { Pace } from './pace.ts';
import type { RequestTurn } from './request-turns.ts';
import type { FeedTracks } from './track.ts';

/** How many results may wait to be stored. After a crash, so many are sent twice. */
const MOST_UNSTORED = 200;
/** A receiver that takes longer makes room for others. */
const PROMPT_MS = 500;

const UNREADABLE = { status: null, durationMs: 0, error: 'The event could not be opened.', retryAfterMs: null };

export type RequestsContext = Pick<EventsContext, 'database' | 'vault' | 'clock' | 'log' | 'forwarder'> & {
  /** Resolves once the result is stored. */
  store(feed: { endpoint: Endpoint; tracks: FeedTracks }, item: Item, attempt: SendAttempt): Promise<void>;
};

type SendingFeed = {
  held: HeldEndpoint;
  tracks: FeedTracks;
  pace: Pace;
  /** Aborted once the feed has ended. */
  ending: AbortSignal;
  /** Takes back an event that could not be sent. */
  giveBack(item: Item): void;
};

/** The requests to one endpoint, from an event's turn until its result is stored. */
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

  /** Takes the turn until the whole response is there. Null if there's nothing to send anymore. */
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
      // Others needn't wait for one that can't be opened: that's a failure like any other.
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
      // Called off because the service stops. It's sent again after the next start.
      if (ending.aborted && !isAccepted(attempt)) return;
      await context.store({ endpoint: held.current, tracks }, item, attempt);
    }
    item.track?.end(item.event.position);
  };

  return {
    /** Ids of events that are being sent, or whose result isn't stored yet. */
    underWay: underWay as ReadonlySet<string>,
    isBusy: (): boolean => openRequests >= pace.width || underWay.size >= MOST_UNSTORED,
    /** Resolves with the next response or stored result, or when `announceChange` is called. */
    whenChanged: (): Promise<void> => change.promise,
    announceChange,
    start(item: Item, turn: RequestTurn): void {
      underWay.add(item.event.id);
      openRequests++;
      send(item, turn)
        .catch((err) => {
          log.warn({ err, endpoint: id }, 'an event could not be sent yet');
          pace.onFailed();
          // A retry is read again, because it's still due.
          if (item.track) giveBack(item);
        })
        .finally(() => {
          underWay.delete(item.event.id);
          announceChange();
        });
    },
  };
};
