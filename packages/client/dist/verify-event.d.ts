import type { Operations } from './operations.ts';
import type { Call, Integration } from './team.ts';
type Recording = Operations['GET /api/recordings/{id}']['response'];
type Report = Operations['GET /api/reports']['response']['reports'][number];
type EventType = Operations['GET /api/events']['response']['events'][number]['type'];
type DataOf<Type extends EventType> = Type extends `connection.${string}` ? Integration : Type extends `call.${string}` ? Call : Type extends `recording.${string}` ? Recording : Type extends `report.${string}` ? Report : object;
/** What happened. `type` says what `data` is. */
export type PatchbayEvent = {
    [Type in EventType]: {
        id: string;
        type: Type;
        timestamp: string;
        /** Increases within a team, so events can be sorted. */
        sequence: number;
        team: {
            id: string;
            key: string | null;
        };
        data: DataOf<Type> & {
            url?: string;
        };
    };
}[EventType];
type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
/**
 * Returns the event if Patchbay has signed it, and throws otherwise. Takes the body as it arrived, byte for byte. An event
 * can arrive more than once: its `id` stays the same.
 */
export declare const verifyEvent: (rawBody: string | Uint8Array, headers: HeaderSource, secret: string | undefined) => Promise<PatchbayEvent>;
export {};
