import type { Problem } from './operations.ts';
/** An error from Patchbay, or from this client (`client.…`, with status 0). */
export declare class PatchbayError extends Error {
    readonly name = "PatchbayError";
    /** A code such as `integrations.not_connected`. */
    readonly code: string;
    readonly status: number;
    /** The request's ID in Patchbay's log. Null if Patchbay sent none. */
    readonly requestId: string | null;
    /** After how many seconds it's worth trying again. Null if Patchbay didn't say. */
    readonly retryAfterSeconds: number | null;
    /** Patchbay's whole response, with members such as `errors` or `connections`. Null if something else responded. */
    readonly problem: (Problem & Readonly<Record<string, unknown>>) | null;
    /** With the code `tokens.approval_needed`: the approval that the request waits for. Null with any other code. */
    readonly approval: {
        id: string;
        url: string;
        expiresAt: string;
    } | null;
    constructor(code: string, message: string, { status, requestId, retryAfterSeconds, problem, ...options }?: Partial<Pick<PatchbayError, 'status' | 'requestId' | 'retryAfterSeconds' | 'problem'>> & ErrorOptions);
}
/** Makes the error for a response that isn't the expected one. */
export declare const toError: (response: Response) => Promise<PatchbayError>;
