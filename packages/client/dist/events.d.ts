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
type EventQuery = {
    type?: EventChoice | undefined;
    after?: string | undefined;
};
type WithPayload = {
    id: string;
    data: object;
} | Extract<PatchbayEvent, {
    type: 'provider.event';
}>;
export declare const createEvents: ({ call }: Api) => {
    /**
     * Lists what happened, oldest first, up to now. The next page is requested when you get there. `after` is the ID of
     * an event; without it, the list begins 30 days ago.
     */
    list: ({ type, after }?: EventQuery, options?: CallOptions) => AsyncGenerator<LoggedEvent, void>;
    /** Returns what the provider sent, which is in a `provider.event` up to 16 KB. Otherwise, downloads it. */
    payload: (event: WithPayload, options?: CallOptions) => Promise<unknown>;
};
export {};
