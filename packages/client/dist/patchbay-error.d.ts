import type { Problem } from './operations.ts';
/** What Patchbay refused, or what this client refused to send (`client.…`, with status 0). */
export declare class PatchbayError extends Error {
    readonly name = "PatchbayError";
    /** Such as `integrations.not_connected`. */
    readonly code: string;
    readonly status: number;
    /** Find it in Patchbay's log. Null if Patchbay sent none. */
    readonly requestId: string | null;
    /** After how many seconds it's worth trying again. Null if Patchbay didn't say. */
    readonly retryAfterSeconds: number | null;
    /** Everything that Patchbay said, such as `errors` or `connections`. Null if it wasn't Patchbay that responded. */
    readonly problem: (Problem & Readonly<Record<string, unknown>>) | null;
    constructor(code: string, message: string, { status, requestId, retryAfterSeconds, problem, ...options }?: Partial<Pick<PatchbayError, 'status' | 'requestId' | 'retryAfterSeconds' | 'problem'>> & ErrorOptions);
}
/** For a response that isn't what was asked for. */
export declare const toError: (response: Response) => Promise<PatchbayError>;
