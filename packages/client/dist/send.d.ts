export type Sent<Result> = {
    url: string;
    init: RequestInit & {
        method: string;
    };
    /** How long an attempt may take, until the response has been read. */
    timeoutMs: number;
    read(response: Response): Promise<Result>;
};
/** Whether this is the provider's own response, through the proxy. Every other response is from Patchbay. */
export declare const isFromProvider: ({ headers }: Response) => boolean;
export declare const sleep: (ms: number, signal: AbortSignal | null | undefined) => Promise<void>;
/** Sends a request, and never follows a redirect. If Patchbay is busy, sends an idempotent request again. */
export declare const send: <Result>({ url, init, timeoutMs, read }: Sent<Result>) => Promise<Result>;
