import type { Api } from './api.ts';
import type { Operations } from './operations.ts';
import type { CallOptions } from './team.ts';
import type { PatchbayEvent } from './verify-event.ts';

type Log = Operations['GET /api/events'];

/** An event in the log. */
export type LoggedEvent = Log['response']['events'][number];

/**
 * What to list: a type, a group like `call.*`, everything but what happened at connected accounts (`*`), or what
 * happened at the accounts of one provider, like `provider.event:github` or `provider.event:github/issues`.
 */
export type EventChoice = LoggedEvent['type'] | '*' | `${string}.*` | `provider.event:${string}`;

type EventQuery = { type?: EventChoice | undefined; after?: string | undefined };

type WithPayload = { id: string; data: object } | Extract<PatchbayEvent, { type: 'provider.event' }>;

const PAGE = 100;

export const createEvents = ({ call }: Api) => {
  /** Reads the log until nothing new is there. A page without an event isn't the end, if it leads further. */
  async function* list({ type, after }: EventQuery = {}, options: CallOptions = {}): AsyncGenerator<LoggedEvent, void> {
    for (let from = after; ; ) {
      const query = { type, after: from, limit: PAGE };
      const { events, nextCursor } = await call('GET /api/events', { ...options, query });
      yield* events;
      if (events.length === 0 && nextCursor === from) return;
      from = nextCursor;
    }
  }

  return {
    /**
     * Lists what happened, oldest first, up to now. The next page is requested when you get there. `after` is the ID of
     * an event; without it, the list begins 30 days ago.
     */
    list,
    /** Returns what the provider sent, which is in a `provider.event` up to 16 KB. Otherwise, downloads it. */
    payload: async (event: WithPayload, options: CallOptions = {}): Promise<unknown> =>
      'payload' in event.data
        ? event.data.payload
        : call('GET /api/events/{id}/payload', { ...options, path: { id: event.id } }),
  };
};
