import type { SentEvent } from './operations.ts';
type Whole<Data> = Exclude<Data, {
    truncated: true;
}>;
/** An event as it's received. If the data is too large, it's truncated to its short fields. */
type Received<Event> = Event extends {
    data: infer Data extends object;
} ? Omit<Event, 'data'> & {
    data: (Whole<Data> & {
        truncated?: never;
    }) | (Partial<Whole<Data>> & Extract<Data, {
        truncated: true;
    }>);
} : never;
/** An event. `type` says what `data` is. */
export type PatchbayEvent = Received<SentEvent>;
type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
/**
 * Returns the event if Patchbay has signed it, and throws otherwise. Pass the body as it arrived, byte for byte. An
 * event can arrive more than once, with the same `id`.
 */
export declare const verifyEvent: (rawBody: string | Uint8Array, headers: HeaderSource, secret: string | undefined) => Promise<PatchbayEvent>;
export {};
