import type { Operations } from './operations.ts';
import type { Call, Integration } from './team.ts';
type Recording = Operations['GET /api/recordings/{id}']['response'];
type Report = Operations['GET /api/reports']['response']['reports'][number];
type DataOf = {
    [Type in `connection.${'connected' | 'reconnected' | 'degraded' | 'recovered' | 'needs_reconnect' | 'disconnected'}`]: Integration;
} & {
    [Type in `call.${'started' | 'ended' | 'missed' | 'voicemail' | 'returned'}`]: Call;
} & {
    [Type in `recording.${'ready' | 'failed'}`]: Recording;
} & {
    'report.ready': Report;
    test: object;
    'team.erased': object;
};
/** What happened. `type` says what `data` is. */
export type PatchbayEvent = {
    [Type in keyof DataOf]: {
        id: string;
        type: Type;
        timestamp: string;
        /** Increases within a team, so events can be sorted. */
        sequence: number;
        team: {
            id: string;
            key: string | null;
        };
        data: DataOf[Type] & {
            url?: string;
        };
    };
}[keyof DataOf];
type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
/**
 * Returns the event if Patchbay has signed it, and throws otherwise. Takes the body as it arrived, byte for byte. An event
 * can arrive more than once: its `id` stays the same.
 */
export declare const verifyEvent: (rawBody: string | Uint8Array, headers: HeaderSource, secret: string | undefined) => Promise<PatchbayEvent>;
export {};
